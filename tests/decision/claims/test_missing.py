"""Which number would decide a claim: the one for which a small value says something else than a large one."""

from __future__ import annotations

import pytest

from claims import claim_of
from stacksim.claims.missing import HARDWARE, missing


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"throughput": "5 GB/s"}, HARDWARE),
        ({"throughput": "5 GB/s", "iops": "100k"}, "(block)"),
        ({"iops": "400k", "hardware": ["10gbe"]}, "(block)"),
        ({"iops": "4000", "latency": "1 ms"}, "requests in flight"),
        ({"iops": "4000", "requests_in_flight": 4}, "mean latency"),
        ({"throughput": "1 GB/s", "bytes": "5 GB"}, "(elapsed)"),
        ({"system": "dbfs", "elapsed": "10 s"}, "bytes that were moved"),
        ({"throughput_each": "100 MB/s", "throughput": "1 GB/s"}, "number of devices"),
    ],
)
def test_the_number_that_decides(entries, words):
    assert words in missing(claim_of(**entries))


def test_a_number_that_the_model_refuses_decides_nothing():
    """`dbfs-load` has no room for 10^15 bytes, and no percentile for any."""
    assert missing(claim_of(system="dbfs-load", latency={"value": "10 ms", "of": "p99"})) is None


@pytest.mark.slow
def test_claim_without_a_model_answer_misses_nothing():
    assert missing(claim_of(system="dbfs", latency={"value": "10 ms", "of": "max"})) is None
