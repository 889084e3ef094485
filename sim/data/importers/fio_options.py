"""Conversion of a load in fio's options to settings of a system; other importers use these options, too."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from types import SimpleNamespace

from sim.data.importers.figures import processes_of
from sim.data.importers.fio_results import MIXED, WORKLOADS
from sim.engine.errors import InputError, shown
from sim.engine.units.reading import FIO_SIZES, count, whole
from sim.system.settings import Choice, Flag, complete
from sim.system.stack.build import Stack
from sim.system.stack.kinds import PAGE_CACHE
from sim.system.system import System

ROLES = {"bs": "block", "iodepth": "depth"}
"""The role of the setting for an option of fio."""

UNSUPPORTED = ("rate", "rate_iops", "thinktime", "bsrange", "bssplit", "bs_unaligned", "kb_base")
"""Options that change the load and have no setting in any system."""

FLUSHES = ("fsync", "fdatasync")
"""Options that make a request of a system a write and its flush; fio reports their latencies separately."""


_OPERATIONS = {"read", "write", "mixed"}


class NoSettingError(InputError):
    """A load without equivalent settings; a stack can simulate the jobs themselves."""


def settings(place: str, options: Mapping[str, str], system: System) -> dict[str, str]:
    """Settings that follow from the ``options`` of one job, without the number of processes.

    Raises:
        NoSettingError: one line that begins with ``place``: the system does not model the load.
    """
    allowed = {setting.name for setting in system.settings}
    for option in UNSUPPORTED:
        if option in options:
            raise NoSettingError(f"{place}: {option} is '{shown(options[option])}'; allowed: jobs without it")
    named = {option: system.settings.of_role(role)[:1] for option, role in ROLES.items()}
    if options["iodepth"] != "1" and not named["iodepth"]:
        raise NoSettingError(
            f"{place}: iodepth is '{shown(options['iodepth'])}'; allowed: 1; run more jobs instead"
        )
    texts = {"bs": size(place, options["bs"]), "iodepth": options["iodepth"]}
    said = {entry.name: text for option, text in texts.items() for entry in named[option]}
    return _workload(place, options, system, allowed) | said | _flush(place, options, system)


def operation(place: str, op: str, system: System) -> dict[str, str]:
    """The setting for the operation ``op``, read or write, if the system has one of these alone.

    Raises:
        InputError: one line that begins with ``place``: a stack that always does the other one.
    """
    setting = next(iter(system.settings.of_role("op")), None)
    if setting:
        plain = isinstance(setting, Choice) and {*setting.options} <= _OPERATIONS
        return {setting.name: op} if plain else {}  # such as scans, which read
    always = str(system.build.load.fields.get("op", "read")) if isinstance(system.build, Stack) else op
    if {op, always} == {"read", "write"}:
        raise InputError(
            f"{place} did {op}s only, and '{system.name}' does {always}s only; name another system, or another "
            "part of the file"
        )
    return {}


def processes(number: int, system: System) -> dict[str, str]:
    """The setting that says how many processes there are, if the system has one."""
    setting = processes_of(system)
    return {setting.name: str(number)} if setting else {}


def files(names: Collection[str], number: int, system: System) -> dict[str, str]:
    """Setting for a file of each process or one for all ``number`` of them, if a stack has such a setting.

    Args:
        names: their files as options of fio, ``$jobnum`` standing for the number of a process.
    """
    load = system.build.load.fields if isinstance(system.build, Stack) else {}
    words = [each for each in system.settings if isinstance(each, Choice) and each.name == load.get("files")]
    if number == 1 or not words or any(name.startswith("/dev/") for name in names):
        return {}
    if len(names) == number or all("$jobnum" in name for name in names):
        word = "each"
    elif len(names) == 1:
        word = "shared"
    else:
        return {}
    return {each.name: word for each in words if word in each.options}


def _flush(place: str, options: Mapping[str, str], system: System) -> dict[str, str]:
    """Setting for the call after each write, if one has the words ``none`` and those of fio."""
    names = [
        each.name for each in system.settings if isinstance(each, Choice) and {"none", *FLUSHES} <= {*each.options}
    ]
    if names and options.get("sync", "0") not in ("0", "none"):
        said = f"allowed for {system.name}: {' or '.join(FLUSHES)} after each write"
        raise NoSettingError(f"{place}: sync is '{shown(options['sync'])}'; {said}")
    after = {option: options[option] for option in FLUSHES if options.get(option, "0") != "0"}
    if not names:
        return _durable(place, options, after, system)
    if not after:
        return dict.fromkeys(names, "none")
    if len(after) > 1 or {*after.values()} != {"1"}:
        shown_all = " and ".join(f"{option}={shown(text)}" for option, text in after.items())
        raise NoSettingError(
            f"{place}: {shown_all}; allowed: one of {' and '.join(FLUSHES)}, after each write, which is 1"
        )
    return dict.fromkeys(names, *after)


def check_opened(place: str, options: Mapping[str, str], system: System) -> None:
    """Refuse a load that used a page cache if the stack has none.

    Raises:
        InputError: one line that begins with ``place``.
    """
    opened = [(name, text) for name, text in options.items() if name in ("direct", "buffered")]
    name, text = opened[-1] if opened else ("direct", "0")  # fio's default
    if (name, text) in (("direct", "1"), ("buffered", "0")) or not isinstance(system.build, Stack):
        return
    flushed = any(options.get(each) == "1" for each in FLUSHES) or options.get("sync", "0") not in ("0", "none")
    if flushed and WORKLOADS[options["rw"]][0] == "write":
        return  # each write reaches the device
    words = [(each.name, word) for each in system.settings if isinstance(each, Choice) for word in each.options]
    flags = [(each.name, value) for each in system.settings if isinstance(each, Flag) for value in (True, False)]
    usual = complete(system.settings, {})
    for chosen in ({}, *({each: value} for each, value in (*words, *flags))):
        values = SimpleNamespace(**usual | chosen)
        if system.build.may_give(PAGE_CACHE, values, system.parameters.values):
            return
    raise InputError(
        f"{place}: {name}={shown(text)}, so it went through a page cache, which {system.name} has not; measure "
        "with direct=1"
    )


_DURABLE = {
    "sync": {"sync": "all", "1": "all", "dsync": "data"},
    "fsync": {"1": "all"},
    "fdatasync": {"1": "data"},
}
"""Data that is durable when a write returns, in words of the plain load, by option of fio and its text."""


def _durable(place: str, options: Mapping[str, str], after: Mapping[str, str], system: System) -> dict[str, str]:
    """The stack's setting for data that is durable when a write returns; other loads are refused."""
    sync = options.get("sync", "0")
    asked = {**after, **({"sync": sync} if sync not in ("0", "none") else {})}
    load = system.build.load.fields if isinstance(system.build, Stack) else {}
    written = str(load.get("durable", "no"))
    durable = {_DURABLE[option].get(text, "") for option, text in asked.items()} or {"no"}
    setting = next((each for each in system.settings if each.name == written and isinstance(each, Choice)), None)
    if setting and durable <= {*setting.options}:
        return dict.fromkeys([setting.name], *durable)
    reads = WORKLOADS[options["rw"]][0] == "read"
    if durable != {written} and not (reads and not asked):
        said = " and ".join(f"{option}={shown(text)}" for option, text in asked.items()) or "no write is durable"
        does = {"no": "flushes nothing", "data": "writes as fdatasync does", "all": "writes as fsync does"}
        raise NoSettingError(
            f"{place}: {said}; {system.name} {does.get(written, 'is another load')}, and has no setting for it"
        )
    return {}


def _workload(place: str, options: Mapping[str, str], system: System, allowed: set[str]) -> dict[str, str]:
    """Settings for operation and order of blocks."""
    word, workloads = options["rw"], dict(_workloads(system))
    if word not in workloads:
        of_fio = f"allowed for {system.name}: {', '.join(workloads)}"
        none = f"{system.name} is no model of such runs of fio; name another system"
        raise NoSettingError(f"{place}: rw is '{shown(word)}'; {of_fio if workloads else none}")
    if WORKLOADS[word][0] != MIXED:
        return workloads[word]
    share = _read_percent(place, options)
    if "read_share" in allowed:
        return workloads[word] | {"read_share": str(Decimal(share) / 100)}
    if share != 50:  # noqa: PLR2004  (percent)
        raise NoSettingError(
            f"{place}: {share}% of it are reads; allowed for {system.name}: 50%, as it has no read_share; "
            "report takes any with a stack, and so does predict with its job file (--job)"
        )
    return workloads[word]


def _workloads(system: System) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the workloads of fio that ``system`` can answer, each with its settings.

    A system without a setting for the order reads and writes in sequence, as dd does; a stack may do either.
    Without a setting for the operation, a system may do both, and a stack the one of its load.
    """
    choices = {each.name: each.options for each in system.settings if isinstance(each, Choice)}
    stack = system.build if isinstance(system.build, Stack) else None
    name = str(stack.load.fields.get("op", "read")) if stack else "op"  # of a setting, or what a stack always does
    ops = choices.get(name, (name,) if stack else ("read", "write"))
    name_of_order = next((name for name, words in choices.items() if {"sequential", "random"} <= {*words}), "")
    for word, (op, order) in WORKLOADS.items():
        known = word if word in ops else op
        told = known == word or order == "sequential" or name_of_order or stack
        if known in ops and (word in system.loads if system.loads else told):
            values = {name: known, name_of_order: order}
            yield word, {name: text for name, text in values.items() if name in choices}


def _read_percent(place: str, options: Mapping[str, str]) -> int:
    """Share of reads in a mix, in per cent: of both options the last one counts, as in fio."""
    percent = 50
    for option, text in options.items():
        if option in ("rwmixread", "rwmixwrite"):
            share = whole(text)
            if share is None or not 0 <= share <= 100:  # noqa: PLR2004  (percent)
                raise InputError(f"{place}: {option} is '{shown(text)}'; allowed: a whole number from 0 to 100")
            percent = share if option == "rwmixread" else 100 - share
    return percent


def size(place: str, text: str) -> str:
    """Bytes of a block size as fio writes it, where 4k is 4096.

    Raises:
        InputError: one line that begins with ``place``, for another text.
    """
    size_bytes = count(text, FIO_SIZES)
    if size_bytes is None:
        raise NoSettingError(
            f"{place}: bs is '{shown(text)}'; allowed: one size for both directions, such as 8k, 1m or 4096"
        )
    return str(size_bytes)
