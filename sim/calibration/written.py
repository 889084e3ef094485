"""Covariance of fitted values that stand in a system's definition."""

from __future__ import annotations

import numpy as np

from sim.calibration.confidence import certainty
from sim.calibration.problem import Problem
from sim.calibration.solve import Solution
from sim.data.package import DataPackage
from sim.engine.errors import InputError
from sim.engine.statistics.estimates import Series
from sim.system.system import System

STEP = 0.05
"""Step of a logarithm to each side: far above the noise between runs with common random numbers."""


def covariance_of(system: System) -> Series:
    """Covariance of the logarithms of the free parameters of ``system`` at their values, shape (free, free).

    It is that of a fit (``stacksim fit``) with this result, to the published figures that the parameters name.

    Raises:
        InputError: there is no data package, or no fitted figure in it.
    """
    if system.data_package is None:
        raise InputError(f"system '{system.name}' has no published figures")
    package = DataPackage(system.data_package)
    named = {cell for each in system.parameters.free() for cell in each.cells}
    datasets = [each for each in map(package.read, package.names()) if each.system == system.name]
    figures = [figure for each in datasets for figure in each.fitted() if figure.cell in named]
    problem = Problem(system, figures, None, {each.name: each.scatter for each in datasets})
    point = np.log([each.value for each in problem.free])
    steps = STEP * np.eye(len(point))
    here, *sides = problem.predict([point, *(point + steps), *(point - steps)])
    above, below = np.split(np.log(np.array(sides)), 2)
    jacobian = ((above - below) / (2.0 * STEP)).T * problem.weights[:, np.newaxis]
    seen = tuple(range(len(figures)))
    return certainty(problem, Solution(point, 0.0, seen, here, jacobian, problem.first_lengths)).covariance
