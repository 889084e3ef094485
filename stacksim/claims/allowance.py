"""Upper bounds of identical parts side by side: bandwidth by direction, IOPS, memory, bursts."""

from __future__ import annotations

from dataclasses import dataclass

from stacksim.claims.amounts import amount
from stacksim.claims.parts import Part
from stacksim.claims.relations import Numbers


@dataclass(frozen=True)
class Allowance:
    """An upper bound ``value`` at ``place``, and its arithmetic in ``words``."""

    place: str
    value: float
    words: str


@dataclass(frozen=True)
class _Bucket:
    """Catalogue names of a token bucket: sustained rate, burst rate and credits; and the unit of the rates."""

    lasting: str
    burst: str
    credits: str
    unit: str


_BYTES = _Bucket("bandwidth", "burst_bandwidth", "burst_bytes", "bytes/s")
_IOS = _Bucket("iops", "burst_iops", "burst_credits", "/s")


def bandwidth(part: Part, op: str | None, date: str | None, numbers: Numbers) -> Allowance | None:
    """Largest bytes/s through ``part``: in one direction, or in both if ``op`` is both or not given.

    Args:
        numbers: numbers of the claim: its elapsed time is the length of a burst, its MTU the size of frames.
    """
    allowed = _on_the_line(part, op, date, numbers)
    frame = part.hardware.line.frame if part.hardware.line else None
    if allowed is None or frame is None:
        return allowed
    data, sent = frame.data(round(numbers["mtu"].value) if "mtu" in numbers else None)
    value = allowed.value * data / sent
    product, equals, _ = allowed.words.rpartition(" = ")
    words = f"{product if equals else allowed.words} × {data}/{sent} in frames = {amount(value, 'bytes/s')}"
    return Allowance(allowed.place, value, words)


def _on_the_line(part: Part, op: str | None, date: str | None, numbers: Numbers) -> Allowance | None:
    """Largest bytes/s on the line, frame headers included."""
    if op in {"read", "write"}:
        return _with_burst(part, _BYTES, op, date, numbers)
    if duplex := part.limit("duplex_bandwidth", op, date):
        return _total(part, duplex, "bytes/s")
    read, write = (part.limit("bandwidth", direction, date) for direction in ("read", "write"))
    if read and write and read != write:
        return _total(part, part.limit("bandwidth", "both", date) or read + write, "bytes/s")
    return _with_burst(part, _BYTES, op, date, numbers)


def iops(part: Part, op: str | None, date: str | None, numbers: Numbers) -> Allowance | None:
    """Largest requests/s of ``part``; the limit of the faster direction bounds reads and writes together."""
    directed = part.limit("iops", op, date) is not None
    if op in {"read", "write"} and not directed:  # that of the other direction bounds nothing
        return None
    return _with_burst(part, _IOS, op if directed else None, date, numbers)


def random_reads(part: Part, op: str | None, pattern: str | None, date: str | None) -> Allowance | None:
    """Largest random reads/s of a disk for which the catalogue has only the speed of rotation.

    Its one arm reads in one place at a time, and a read waits for half a turn on average. A long queue that is
    sorted by place waits for less, but seeks, which are not counted, take more than that saves.
    """
    if (op, pattern, part.hardware.kind) != ("read", "random", "disk") or part.limit("iops", "read", date):
        return None
    turn_s = part.limit("latency", "read", date)
    return _total(part, 1.0 / turn_s, "/s", f" (1 / {amount(turn_s, 's')})") if turn_s else None


def memory(part: Part, date: str | None) -> Allowance | None:
    """Bytes of memory in all parts."""
    value = part.limit("memory", None, date)
    return _total(part, value, "bytes") if value else None


def least_latency(part: Part, op: str | None, pattern: str | None, date: str | None) -> float | None:
    """Least seconds that a request takes; None if the catalogue has no latency for such requests.

    Sequential data may have been read ahead. Of a disk the least is half a turn, a mean over
    random requests. If ``op`` is not given, the lower of reads and writes counts, if both are known.
    """
    if pattern == "sequential" or (part.hardware.kind == "disk" and pattern != "random"):
        return None
    ops = (op,) if op in {"read", "write"} else ("read", "write")
    floors = [floor for each in ops if (floor := part.limit("latency", each, date))]
    return min(floors) if len(floors) == len(ops) else None


def _with_burst(
    part: Part, bucket: _Bucket, op: str | None, date: str | None, numbers: Numbers
) -> Allowance | None:
    """The sustained rate; or the mean rate over the claim's elapsed time if the bucket is full at its beginning.

    Without an elapsed time, the burst rate counts: the run may have been short enough.
    """
    lasting, burst = part.limit(bucket.lasting, op, date), part.limit(bucket.burst, op, date)
    credits_, elapsed = part.limit(bucket.credits, op, date), numbers.get("elapsed")
    if lasting is None or burst is None or burst <= lasting:
        value = max((each for each in (lasting, burst) if each), default=None)
        return _total(part, value, bucket.unit) if value else None
    if credits_ is None or elapsed is None or lasting * elapsed.low + credits_ >= burst * elapsed.low:
        return _total(part, burst, bucket.unit, " in bursts")
    average = lasting + credits_ / elapsed.low
    spent = f"{amount(lasting, bucket.unit)} + {amount(credits_, bucket.unit.removesuffix('/s'))} of credits"
    least = " at least" if elapsed.low < elapsed.value else ""
    words = f"{spent} in {amount(elapsed.low, 's')}{least} = {amount(average, bucket.unit)}"
    return _total(part, average, bucket.unit, "", words)


def _total(part: Part, value: float, unit: str, note: str = "", words: str = "") -> Allowance:
    """The allowance of all parts together, from the ``value`` of one."""
    one = words or f"{amount(value, unit)}{note}"
    if part.count == 1:
        return Allowance(part.name, value, one)
    total = part.count * value
    one = f"({one})" if words else one
    return Allowance(part.name, total, f"{part.count} × {one} = {amount(total, unit)}")
