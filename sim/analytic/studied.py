"""What random models of each mechanism say of the accuracy of approximate answers.

Written by ``python -m benchmarks.accuracy FOLDER``, and not by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from sim.analytic.accuracy import Case, Ends

STUDIED: Mapping[str, Sequence[Case]] = {
    "arrivals from outside": (Case(56, {}, Ends(0.994, 1.002), Ends(0.943, 1.034)),),
    "buffer": (Case(240, {}, Ends(0.962, 1.047), Ends(0.955, 1.04)),),
    "cache": (Case(113, {}, Ends(0.967, 1.091), Ends(0.909, 1.041)),),
    "fork": (
        Case(122, {"reached": (-inf, 0.96)}, Ends(0.827, 1.125), Ends(0.839, 1.235)),
        Case(61, {"reached": (0.96, inf), "waiting": (-inf, 0.82)}, Ends(0.987, 1.031), Ends(0.958, 1.03)),
        Case(60, {"reached": (0.96, inf), "waiting": (0.82, inf)}, Ends(0.957, 1.018), Ends(0.982, 1.048)),
    ),
    "fork inside a hold": (
        Case(60, {"reached": (-inf, 0.73)}, Ends(0.749, 1.12), Ends(0.893, 1.335)),
        Case(60, {"reached": (0.73, inf)}, Ends(0.902, 1.027), Ends(0.964, 1.108)),
    ),
    "gate": (Case(117, {}, Ends(0.786, 1.522), Ends(0.657, 1.273)),),
    "hold inside a hold": (Case(119, {}, Ends(0.954, 1.116), Ends(0.877, 1.078)),),
    "lock": (
        Case(94, {"waiting": (-inf, 0.67)}, Ends(0.983, 1.075), Ends(0.93, 1.033)),
        Case(85, {"waiting": (0.67, inf)}, Ends(0.982, 1.019), Ends(0.981, 1.019)),
    ),
    "open beside closed": (Case(72, {}, Ends(0.866, 1.053), Ends(0.831, 1.238)),),
    "open beside closed at a read-write lock": (Case(58, {}, Ends(0.929, 2.203), Ends(0.454, 1.227)),),
    "paced work beside others": (Case(95, {}, Ends(0.84, 1.022), Ends(0.947, 1.29)),),
    "pool": (
        Case(70, {"waiting": (-inf, 0.19)}, Ends(0.976, 1.032), Ends(0.912, 1.148)),
        Case(69, {"waiting": (0.19, inf)}, Ends(0.958, 1.19), Ends(0.84, 1.043)),
    ),
    "read-write lock": (Case(116, {}, Ends(0.64, 1.612), Ends(0.582, 1.596)),),
    "several kinds of clients": (Case(118, {}, Ends(0.933, 1.091), Ends(0.914, 1.078)),),
    "several mechanisms": (Case(196, {}, Ends(0.922, 1.138), Ends(0.87, 1.086)),),
    "station used inside a hold and outside": (
        Case(77, {"reached": (-inf, 0.91)}, Ends(0.887, 1.322), Ends(0.756, 1.173)),
        Case(77, {"reached": (0.91, inf)}, Ends(0.945, 1.062), Ends(0.936, 1.057)),
    ),
    "stations": (
        Case(61, {"reached": (-inf, 0.98)}, Ends(0.913, 1.1), Ends(0.909, 1.095)),
        Case(150, {"reached": (0.98, inf)}, Ends(0.982, 1.011), Ends(0.988, 1.026)),
    ),
    "threads that sleep": (Case(114, {}, Ends(0.992, 1.291), Ends(0.712, 1.009)),),
    "work left behind": (Case(112, {}, Ends(0.987, 1.25), Ends(0.77, 1.015)),),
    "work paced at random beside others": (Case(11, {}, Ends(0.4545, 2.2), Ends(0.4545, 2.2)),),
}
