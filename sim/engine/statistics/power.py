"""The knee of a load: beyond it, latency grows by more per cent than throughput.

At the knee throughput / mean latency is largest. This ratio is the *power* of Kleinrock, "Power and
deterministic rules of thumb for probabilistic problems in computer communications" (ICC 1979).
"""

from __future__ import annotations

from collections.abc import Sequence


def power(throughput: float, latency_s: float) -> float:
    """Throughput over mean latency; 0 without a steady state, where neither is known."""
    return throughput / latency_s if latency_s > 0.0 else 0.0


def at_knee(powers: Sequence[float]) -> int | None:
    """Index of the knee in ``powers`` along a growing load; None if power still grows at the last."""
    best = max(range(len(powers)), key=powers.__getitem__, default=0)
    return best if best < len(powers) - 1 and powers[best] > 0.0 else None
