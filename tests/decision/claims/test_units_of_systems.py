"""A claim about each system and stack that comes along, in every unit that its number may be written in."""

from __future__ import annotations

import pytest

from claims import claim_of
from sim.engine.simulation.options import RunOptions
from sim.system.installed import systems
from stacksim.claims.claimed_case import ClaimedCase
from stacksim.claims.expected import expected
from stacksim.claims.predicted import predicted
from stacksim.claims.reading import readings

OPTIONS = RunOptions(precision=0.03)

BYTES = {"B/s": 1.0, "kB/s": 1012.0, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12, "KiB/s": 1024.0, "MiB/s": 2.0**20,
         "GiB/s": 2.0**30, "Mb/s": 1e6 / 8, "Gb/s": 1e9 / 8, "Gbps": 1e9 / 8, "Gbit/s": 1e9 / 8}  # fmt: skip
"""In bytes a second; a kB is 1000 or 1024, and so 1012."""

COUNTS = {"": 1.0, "/s": 1.0, "k": 1e3, "M": 1e6, "IOPS": 1.0, "kIOPS": 1e3, "k IOPS": 1e3, "M IOPS": 1e6,
          "IO/s": 1.0, "I/O/s": 1.0, "kIO/s": 1e3, "reads/s": 1.0, "kreads/s": 1e3, "messages/s": 1.0, "ktps": 1e3,
          "tps": 1.0, "gets/h": 1 / 3600}  # fmt: skip
"""In things a second."""

TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}

OF_SYSTEMS = {
    "MB/s": 1e6, "MiB/s": 2.0**20, "GiB/s": 2.0**30, "kIO/s": 1e3, "IO/s": 1.0, "I/O/s": 1.0, "writes/s": 1.0,
    "transactions/s": 1.0, "commits/s": 1.0, "names/s": 1.0, "phases/h": 1 / 3600,
}  # fmt: skip
"""One unit of throughput in SI, by the word of the system."""

IOS = ("kIO/s", "IO/s", "I/O/s", "writes/s")


def written(value, units):
    """``value`` in every unit, with more digits than matter."""
    return [f"{value / scale:.8e} {unit}".rstrip() for unit, scale in units.items()]


def held(system, name, said, value):
    """True if the claim ``said`` is held against the answer of the system, which is ``value``."""
    found = expected(claim_of(system=system, **{name: said}), OPTIONS)
    assert found is not None
    assert found.known, (said, found.warnings)
    assert (found.of, found.value) == (name, pytest.approx(value, rel=2e-2 if "kB" in said else 1e-6)), said
    assert found.probability > 0.5, said
    assert found.bound is None, said


LONG = {"innodb-oltp", "postgresql-oltp", "rocksdb"}
"""Models of many steps, of which each claim takes seconds."""

SYSTEMS = [pytest.param(each, marks=[pytest.mark.slow] * (each in LONG)) for each in sorted(systems())]


@pytest.mark.parametrize("system", SYSTEMS)
def test_claim_of_the_predicted_value_is_plausible_in_every_unit(system):
    about = ClaimedCase.of(claim_of(system=system))
    answers = predicted(about.case, OPTIONS, "throughput").answers
    unit = about.case.scenario.unit
    throughput = answers["throughput"].estimate.value * OF_SYSTEMS[unit]
    of_bytes = unit in BYTES
    for said in written(throughput, BYTES if of_bytes else COUNTS):
        held(system, "throughput" if of_bytes else "iops", said, throughput)
    other, units = ("iops", COUNTS) if of_bytes else ("throughput", BYTES)
    converted = throughput / about.block if of_bytes and about.block else throughput * (about.block or 0.0)
    for said in written(converted or 1.0, units):
        if about.block and (of_bytes or unit in IOS):
            held(system, other, said, converted)
        else:
            claim = claim_of(system=system, **{other: said})
            assert not readings(claim, ClaimedCase.of(claim)), "a transaction has no bytes"
    if answers["mean"].estimate.value > 0.0:
        for said in written(answers["mean"].estimate.value, TIMES):
            held(system, "latency", said, answers["mean"].estimate.value)
    if "elapsed" in answers:
        for said in written(answers["elapsed"].estimate.value, TIMES):
            held(system, "elapsed", said, answers["elapsed"].estimate.value)


def test_kilo_requests_are_not_taken_for_requests():
    """505 kIO/s of NVMe, published and fitted, were once called 134 times what is possible."""
    settings = {"processes": 2, "depth": 128, "scheduler": "mq-deadline"}
    for name, said in (("iops", "505k"), ("iops", "505 kIO/s"), ("throughput", "2.068 GB/s")):
        found = expected(claim_of(system="nvme", settings=settings, **{name: said}), OPTIONS)
        assert found.probability > 0.1
        assert found.bound is None
    found = expected(claim_of(system="nvme", settings=settings, iops="505"), OPTIONS)
    assert found.probability < 1e-3
