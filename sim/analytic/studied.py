"""What random models of each mechanism say of the accuracy of approximate answers.

Written by ``python -m benchmarks.accuracy FOLDER``, and not by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from sim.analytic.accuracy import Case, Ends

STUDIED: Mapping[str, Sequence[Case]] = {
    "arrivals from outside": (Case(83, {}, Ends(0.995, 1.002), Ends(0.931, 1.033)),),
    "buffer": (Case(297, {}, Ends(0.965, 1.047), Ends(0.955, 1.036)),),
    "cache": (Case(142, {}, Ends(0.988, 1.079), Ends(0.916, 1.038)),),
    "fork": (
        Case(212, {"variation": (-inf, 1.0)}, Ends(0.975, 1.044), Ends(0.945, 1.043)),
        Case(76, {"variation": (1.0, inf), "reached": (-inf, 0.94)}, Ends(0.757, 1.256), Ends(0.792, 1.32)),
        Case(69, {"variation": (1.0, inf), "reached": (0.94, inf)}, Ends(0.944, 1.062), Ends(0.92, 1.075)),
    ),
    "fork inside a hold": (
        Case(60, {"clients": (-inf, 4.0)}, Ends(0.928, 1.052), Ends(0.947, 1.078)),
        Case(117, {"clients": (4.0, inf)}, Ends(0.781, 1.112), Ends(0.899, 1.319)),
    ),
    "gate": (Case(147, {}, Ends(0.819, 1.506), Ends(0.663, 1.221)),),
    "hold inside a hold": (
        Case(88, {"reached": (-inf, 0.94)}, Ends(0.935, 1.129), Ends(0.875, 1.135)),
        Case(88, {"reached": (0.94, inf)}, Ends(0.967, 1.026), Ends(0.975, 1.066)),
    ),
    "lock": (
        Case(146, {"clients": (-inf, 6.0)}, Ends(0.983, 1.063), Ends(0.931, 1.032)),
        Case(119, {"clients": (6.0, inf)}, Ends(0.982, 1.019), Ends(0.981, 1.018)),
    ),
    "open beside closed": (Case(114, {}, Ends(0.913, 1.024), Ends(0.963, 1.116)),),
    "open beside closed at a read-write lock": (Case(89, {}, Ends(0.939, 1.796), Ends(0.55, 1.092)),),
    "paced work beside others": (Case(144, {}, Ends(0.84, 1.019), Ends(0.953, 1.206)),),
    "pool": (
        Case(64, {"reached": (-inf, 0.97)}, Ends(0.936, 1.19), Ends(0.84, 1.106)),
        Case(140, {"reached": (0.97, inf)}, Ends(0.985, 1.02), Ends(0.974, 1.043)),
    ),
    "read-write lock": (Case(174, {}, Ends(0.629, 1.549), Ends(0.62, 1.642)),),
    "several kinds of clients": (Case(176, {}, Ends(0.933, 1.091), Ends(0.913, 1.078)),),
    "several mechanisms": (Case(240, {}, Ends(0.922, 1.145), Ends(0.869, 1.086)),),
    "station used inside a hold and outside": (
        Case(120, {"reached": (-inf, 0.91)}, Ends(0.887, 1.272), Ends(0.784, 1.127)),
        Case(122, {"reached": (0.91, inf)}, Ends(0.953, 1.059), Ends(0.941, 1.052)),
    ),
    "stations": (
        Case(91, {"reached": (-inf, 0.98)}, Ends(0.943, 1.1), Ends(0.909, 1.061)),
        Case(224, {"reached": (0.98, inf)}, Ends(0.974, 1.011), Ends(0.987, 1.028)),
    ),
    "threads that sleep": (
        Case(78, {"reached": (-inf, 0.96)}, Ends(0.992, 1.891), Ends(0.528, 1.006)),
        Case(91, {"reached": (0.96, inf)}, Ends(0.989, 1.023), Ends(0.915, 1.011)),
    ),
    "work left behind": (Case(140, {}, Ends(0.987, 1.253), Ends(0.77, 1.015)),),
    "work paced at random beside others": (Case(11, {}, Ends(0.4545, 2.2), Ends(0.4545, 2.2)),),
}
