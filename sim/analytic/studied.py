"""What random models of each mechanism say of the accuracy of approximate answers.

Written by ``python -m benchmarks.accuracy FOLDER``, and not by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from sim.analytic.accuracy import Case, Ends

STUDIED: Mapping[str, Sequence[Case]] = {
    "arrivals from outside": (Case(93, {}, Ends(0.995, 1.002), Ends(0.943, 1.033)),),
    "buffer": (Case(418, {}, Ends(0.962, 1.063), Ends(0.94, 1.04)),),
    "cache": (Case(202, {}, Ends(0.989, 1.071), Ends(0.929, 1.033)),),
    "fork": (
        Case(144, {"reached": (-inf, 0.97)}, Ends(0.797, 1.041), Ends(0.949, 1.254)),
        Case(64, {"reached": (0.97, inf)}, Ends(0.957, 1.013), Ends(0.98, 1.048)),
    ),
    "fork inside a hold": (
        Case(146, {"variation": (-inf, 1.0)}, Ends(0.927, 1.039), Ends(0.961, 1.097)),
        Case(63, {"variation": (1.0, inf)}, Ends(0.749, 1.178), Ends(0.809, 1.339)),
    ),
    "fork of unlike branches": (
        Case(62, {"reached": (-inf, 0.93)}, Ends(0.943, 1.256), Ends(0.792, 1.07)),
        Case(145, {"reached": (0.93, inf)}, Ends(0.973, 1.062), Ends(0.932, 1.062)),
    ),
    "gate": (Case(206, {}, Ends(0.832, 1.372), Ends(0.729, 1.201)),),
    "hold inside a hold": (
        Case(104, {"reached": (-inf, 0.95)}, Ends(0.935, 1.129), Ends(0.868, 1.135)),
        Case(103, {"reached": (0.95, inf)}, Ends(0.967, 1.024), Ends(0.977, 1.067)),
    ),
    "lock": (
        Case(163, {"waiting": (-inf, 0.67)}, Ends(0.98, 1.063), Ends(0.93, 1.033)),
        Case(152, {"waiting": (0.67, inf)}, Ends(0.985, 1.019), Ends(0.982, 1.015)),
    ),
    "open beside closed": (Case(132, {}, Ends(0.913, 1.027), Ends(0.963, 1.116)),),
    "open beside closed at a read-write lock": (Case(104, {}, Ends(0.939, 1.796), Ends(0.55, 1.092)),),
    "paced work beside others": (Case(171, {}, Ends(0.853, 1.014), Ends(0.944, 1.137)),),
    "pool": (
        Case(70, {"reached": (-inf, 0.96)}, Ends(0.942, 1.19), Ends(0.84, 1.106)),
        Case(165, {"reached": (0.96, inf)}, Ends(0.981, 1.027), Ends(0.971, 1.055)),
    ),
    "read-write lock": (Case(202, {}, Ends(0.64, 1.563), Ends(0.582, 1.642)),),
    "several kinds of clients": (Case(235, {}, Ends(0.921, 1.094), Ends(0.906, 1.097)),),
    "several mechanisms": (
        Case(235, {"reached": (-inf, 0.96)}, Ends(0.916, 1.145), Ends(0.869, 1.102)),
        Case(102, {"reached": (0.96, inf)}, Ends(0.967, 1.019), Ends(0.98, 1.037)),
    ),
    "station used inside a hold and outside": (
        Case(143, {"reached": (-inf, 0.91)}, Ends(0.889, 1.275), Ends(0.778, 1.125)),
        Case(143, {"reached": (0.91, inf)}, Ends(0.953, 1.058), Ends(0.944, 1.052)),
    ),
    "stations": (
        Case(120, {"reached": (-inf, 0.98)}, Ends(0.943, 1.1), Ends(0.909, 1.061)),
        Case(303, {"reached": (0.98, inf)}, Ends(0.971, 1.011), Ends(0.989, 1.036)),
    ),
    "threads that sleep": (
        Case(88, {"reached": (-inf, 0.96)}, Ends(0.996, 1.857), Ends(0.538, 1.005)),
        Case(109, {"reached": (0.96, inf)}, Ends(0.989, 1.023), Ends(0.911, 1.018)),
    ),
    "work left behind": (
        Case(95, {"reached": (-inf, 0.98)}, Ends(0.999, 1.339), Ends(0.693, 1)),
        Case(100, {"reached": (0.98, inf)}, Ends(0.987, 1.015), Ends(0.946, 1.017)),
    ),
}
