"""Accuracy of approximate answers, mechanism by mechanism, from random models.

Written by ``python -m benchmarks.accuracy FOLDER``, and not by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from sim.engine.analytic.accuracy import Case, Ends

STUDIED: Mapping[str, Sequence[Case]] = {
    "arrivals from outside": (
        Case(224, {"variation": (-inf, 1.0)}, Ends(0.994, 1.002), Ends(0.967, 1.026)),
        Case(89, {"variation": (1.0, inf)}, Ends(0.998, 1.001), Ends(0.877, 1.033)),
    ),
    "buffer": (
        Case(87, {"reached": (-inf, 0.97), "waiting": (-inf, 0.41)}, Ends(0.921, 1.085), Ends(0.921, 1.086)),
        Case(87, {"reached": (-inf, 0.97), "waiting": (0.41, inf)}, Ends(0.965, 1.063), Ends(0.94, 1.036)),
        Case(425, {"reached": (0.97, inf)}, Ends(0.985, 1.01), Ends(0.991, 1.015)),
    ),
    "cache": (
        Case(144, {"waiting": (-inf, 0.086)}, Ends(0.991, 1.008), Ends(0.981, 1.024)),
        Case(144, {"waiting": (0.086, inf)}, Ends(0.988, 1.091), Ends(0.915, 1.033)),
    ),
    "fork": (
        Case(114, {"variation": (-inf, 1.0), "waiting": (-inf, 0.46)}, Ends(0.959, 1.021), Ends(0.963, 1.068)),
        Case(115, {"variation": (-inf, 1.0), "waiting": (0.46, inf)}, Ends(0.987, 1.041), Ends(0.96, 1.013)),
        Case(69, {"variation": (1.0, inf)}, Ends(0.757, 1.065), Ends(0.938, 1.32)),
    ),
    "fork inside a hold": (
        Case(69, {"variation": (-inf, 1.0), "reached": (-inf, 0.67)}, Ends(0.898, 1.041), Ends(0.96, 1.125)),
        Case(143, {"variation": (-inf, 1.0), "reached": (0.67, inf)}, Ends(0.928, 1.026), Ends(0.974, 1.087)),
        Case(86, {"variation": (1.0, inf)}, Ends(0.749, 1.163), Ends(0.863, 1.339)),
    ),
    "fork of unlike branches": (
        Case(88, {"reached": (-inf, 0.93)}, Ends(0.928, 1.249), Ends(0.795, 1.083)),
        Case(206, {"reached": (0.93, inf)}, Ends(0.983, 1.047), Ends(0.936, 1.053)),
    ),
    "gate": (Case(292, {}, Ends(0.856, 1.372), Ends(0.729, 1.178)),),
    "hold inside a hold": (
        Case(144, {"reached": (-inf, 0.93)}, Ends(0.935, 1.129), Ends(0.873, 1.118)),
        Case(147, {"reached": (0.93, inf)}, Ends(0.972, 1.039), Ends(0.962, 1.067)),
    ),
    "lock": (
        Case(66, {"reached": (-inf, 0.96)}, Ends(0.971, 1.105), Ends(0.901, 1.062)),
        Case(390, {"reached": (0.96, inf)}, Ends(0.987, 1.019), Ends(0.981, 1.015)),
    ),
    "open beside closed": (Case(324, {}, Ends(0.952, 1.068), Ends(0.87, 1.071)),),
    "open beside closed at a read-write lock": (
        Case(93, {"reached": (-inf, 0.51)}, Ends(0.624, 2.315), Ends(0.345, 1.604)),
        Case(113, {"reached": (0.51, inf), "variation": (-inf, 1.7)}, Ends(0.986, 1.15), Ends(0.827, 1.308)),
        Case(106, {"reached": (0.51, inf), "variation": (1.7, inf)}, Ends(0.997, 1.22), Ends(0.647, 1.008)),
    ),
    "paced work beside others": (Case(246, {}, Ends(0.88, 1.014), Ends(0.942, 1.137)),),
    "pool": (
        Case(97, {"reached": (-inf, 0.95)}, Ends(0.942, 1.189), Ends(0.841, 1.073)),
        Case(234, {"reached": (0.95, inf)}, Ends(0.981, 1.034), Ends(0.967, 1.047)),
    ),
    "read-write lock": (Case(288, {}, Ends(0.651, 1.563), Ends(0.603, 1.589)),),
    "several kinds of clients": (Case(294, {}, Ends(0.921, 1.109), Ends(0.898, 1.097)),),
    "several mechanisms": (Case(474, {}, Ends(0.928, 1.072), Ends(0.919, 1.086)),),
    "station used inside a hold and outside": (
        Case(274, {"reached": (-inf, 0.98)}, Ends(0.901, 1.272), Ends(0.778, 1.11)),
        Case(127, {"reached": (0.98, inf)}, Ends(0.985, 1.019), Ends(0.981, 1.016)),
    ),
    "stations": (
        Case(153, {"reached": (-inf, 0.98)}, Ends(0.943, 1.08), Ends(0.91, 1.061)),
        Case(376, {"reached": (0.98, inf)}, Ends(0.978, 1.011), Ends(0.989, 1.026)),
    ),
    "threads that sleep": (
        Case(83, {"reached": (-inf, 0.89)}, Ends(0.992, 2.091), Ends(0.478, 1.027)),
        Case(105, {"reached": (0.89, 0.99)}, Ends(0.99, 1.081), Ends(0.889, 1.019)),
        Case(91, {"reached": (0.99, inf)}, Ends(0.982, 1.019), Ends(0.979, 1.018)),
    ),
    "work left behind": (
        Case(72, {"reached": (-inf, 0.91)}, Ends(1, 1.368), Ends(0.606, 1)),
        Case(72, {"reached": (0.91, 0.99)}, Ends(0.996, 1.096), Ends(0.89, 1)),
        Case(131, {"reached": (0.99, inf)}, Ends(0.986, 1.01), Ends(0.977, 1.017)),
    ),
}
