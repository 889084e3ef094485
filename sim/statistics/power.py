"""The knee of a load: from there on, more of it makes latency longer by more per cent than throughput higher.

So it is where throughput / mean latency is largest. That ratio is the *power* of Kleinrock, "Power and
deterministic rules of thumb for probabilistic problems in computer communications" (ICC 1979).
"""

from __future__ import annotations

from collections.abc import Sequence


def power(throughput: float, latency_s: float) -> float:
    """Throughput over mean latency; 0 where no steady state is reached, and so neither is known."""
    return throughput / latency_s if latency_s > 0.0 else 0.0


def at_knee(powers: Sequence[float]) -> int | None:
    """Which of ``powers``, along a growing load, is that of the knee; None if power still grows at the last."""
    best = max(range(len(powers)), key=powers.__getitem__, default=0)
    return best if best < len(powers) - 1 and powers[best] > 0.0 else None
