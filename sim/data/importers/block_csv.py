"""Block traces of the SNIA repository in two forms of CSV, one I/O a line.

    128166372003061629,hm,1,Read,383496192,32768,413                 MSR Cambridge: time and response in 100 ns
    1456754460.109,0.000371,R,0,1052672,4096                         SYSTOR '17: both in seconds, under a heading

The order and meaning of the fields are those of the README files of the two collections (D. Narayanan,
A. Donnelly and A. Rowstron, "Write off-loading", FAST 2008; C. Lee et al., SYSTOR 2017).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from sim.data.importers.traces import LONGEST_NS, UNKNOWN, Recorded, check_response
from sim.engine.errors import InputError, shown

_MSR = re.compile(
    r"(?P<at>[0-9]{15,18}),(?P<device>[^,\s]+,[0-9]+),(?P<op>Read|Write),(?P<offset>[0-9]{1,18}),"
    r"(?P<size>[0-9]{1,9}),(?P<latency>[0-9]{1,15})"
)
_SYSTOR = re.compile(
    r"(?P<at>[0-9]{1,10}\.[0-9]{1,9}),(?P<latency>[0-9]{1,6}\.[0-9]{1,9})?,(?P<op>[RW]?),(?P<device>[0-9]+),"
    r"(?P<offset>[0-9]{1,18}),(?P<size>[0-9]{1,9})"
)
_HEADING = "Timestamp,Response,IOType,LUN,Offset,Size"
_FORMS = {
    "msr": "time,host,disk,Read or Write,offset,bytes,response",
    "systor": _HEADING,
}


def recognises(head: str) -> bool:
    """True if ``head`` is the beginning of such a trace."""
    return _form(head.partition("\n")[0].strip()) is not None


def _form(first: str) -> str | None:
    if first == _HEADING:
        return "systor"
    return "msr" if _MSR.fullmatch(first) else None


def recorded(path: Path) -> Iterator[Recorded]:
    """The I/Os of each disk; InputError with file and line for a line that is cut short or in another form."""
    disks: dict[str, Recorded] = {}
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        form = ""
        for number, line in enumerate(lines, 1):
            form = form or _form(line.strip()) or ""
            if not line.strip() or (number == 1 and line.strip() == _HEADING):
                continue
            match = (_MSR if form == "msr" else _SYSTOR).fullmatch(line.rstrip("\r\n"))
            if not match or not line.endswith("\n") or int(match["size"]) == 0:
                raise InputError(
                    f"{path}, line {number} is '{shown(line.strip())}'; allowed: {_FORMS[form or 'msr']}, with "
                    "some bytes; is the file cut short?"
                )
            if match["op"]:  # SYSTOR '17 leaves the op empty if it is neither a read nor a write
                _add(disks, f"{path}, line {number}", number, match)
    if not disks:
        raise InputError(f"{path} has no read and no write; is it cut short?")
    yield from disks.values()


def _add(disks: dict[str, Recorded], place: str, number: int, match: re.Match[str]) -> None:
    msr = match["op"] in ("Read", "Write")
    scale, tick_ns = (100, 100) if msr else (10**9, 1000)
    at_ns, device = int(Decimal(match["at"]) * scale), match["device"].replace(",", "_")
    disk = disks.setdefault(device, Recorded(device, number, origin_ns=at_ns, tick_ns=tick_ns))
    if abs(at_ns - disk.origin_ns) > LONGEST_NS:
        raise InputError(f"{place}: the time is more than 31 years from that of line {disk.line}; is it wrong?")
    latency = match["latency"]
    latency_ns = check_response(place, int(Decimal(latency) * scale)) if latency else UNKNOWN
    try:
        disk.add(at_ns, 0 if match["op"][0] == "R" else 1, int(match["offset"]), int(match["size"]), latency_ns)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
