"""Transfer of a fit to another machine: its anchors and the other machines predict its other figures.

Each machine of a dataset is left out in turn and the others are fitted. Then only its own parameters are fitted to
its anchors, from priors learnt from the others: the deviations of their parameters from the assumed centres
predict those of the next machine.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import repeat

from sim.calibration.confidence import certainty
from sim.calibration.cross_validation import Stage, Unseen, band_deviations
from sim.calibration.problem import PRIOR_DEVIATIONS, Problem
from sim.calibration.slopes import slopes
from sim.calibration.solve import Solution, opened, solve
from sim.calibration.splits import Split
from sim.calibration.walk import Place
from sim.data.dataset import Dataset, Machines
from sim.data.fitted import TO_MACHINE
from sim.system.parameters import Parameter, Parameters

ASSUMED_MACHINES = 1.0
"""Weight of a prior's centre, in machines, when it is re-estimated from fitted machines."""

ASSUMED_SPREADS = 2.0
"""The same of its spread; equation (1) of docs/dev/fitting.md has as many figures."""


def to_machines(problem: Problem, dataset: Dataset, on_stage: Stage) -> list[Unseen]:
    """Leave each machine of ``dataset`` out in turn; indices are those of the figures of ``problem``."""
    machines = dataset.machines
    if not machines:
        return []
    splits = list(_splits(problem, machines))
    opening = opened(problem, problem.centre).of(problem.alone())
    moved = iter(problem.map(_moved, splits, machines.left_out, repeat(machines), repeat(opening)))
    unseen = []
    for split in splits:
        on_stage(split.name)
        unseen.append(next(moved))
        problem.simulated += unseen[-1].simulated
    return unseen


def _splits(problem: Problem, machines: Machines) -> Iterator[Split]:
    """Yield a split for each machine that is left out: its anchors are seen, with all figures of others."""
    for machine in machines.left_out:
        held = [machines.of(each) == machine and not machines.anchor(each) for each in problem.figures]
        seen, held_out = ([index for index, each in enumerate(held) if each == one] for one in (False, True))
        yield Split(f"{TO_MACHINE}: {machine}", tuple(seen), tuple(held_out))


def _moved(split: Split, machine: str, machines: Machines, opening: Place) -> Unseen:
    problem = opening.problem
    before = problem.simulated
    mine = [index for index, each in enumerate(problem.figures) if machines.of(each) == machine]
    others = sorted({*split.seen} - {*mine})
    fit = solve(problem, others, opening.point, opening)
    names = {each for figure in problem.figures if (each := machines.of(figure))}
    parameters = next_machine(problem, fit, machine, names)
    figures = [problem.figures[index] for index in mine]
    scatter = dict(zip((each.dataset for each in problem.figures), problem.scatter.tolist(), strict=True))
    own = Problem(replace(problem.system, parameters=parameters), figures, scatter=scatter, seed=problem.seed)
    seen, held_out = (
        [mine.index(each) for each in those if each in mine] for those in (split.seen, split.held_out)
    )
    solution = solve(own, seen, own.centre)
    predicted = own.predict([solution.point], held_out, solution.lengths)[0]
    slope = slopes(own, solution.point, predicted, held_out, solution.lengths) / own.weights[held_out, None]
    simulated = problem.simulated - before + own.simulated
    return Unseen(split, predicted, band_deviations(own, solution, slope), simulated)


def next_machine(problem: Problem, fit: Solution, machine: str, known: Collection[str]) -> Parameters:
    """Parameters for a fit of ``machine`` alone, after the ``fit`` of others; ``known`` are all machines.

    Its own parameters have priors learnt from the same quantities of the others; shared ones have the fitted value
    and the remaining spread.
    """
    values = problem.values(fit.point)
    centres = dict(zip(values, problem.centre.tolist(), strict=True))
    left = dict(zip(values, certainty(problem, fit).shrunk.tolist(), strict=True))
    entries = []
    for entry in problem.system.parameters.entries:
        owner = _owner(entry.name, known)
        if entry.name not in values:
            entries.append(entry)
        elif owner == machine:
            twins = (f"{other}{entry.name.removeprefix(machine)}" for other in known if other != machine)
            shifts = [math.log(values[twin]) - centres[twin] for twin in twins if twin in values]
            entries.append(learnt(entry, shifts))
        elif owner:
            entries.append(replace(entry, value=values[entry.name], basis="set", interval=None, prior=None))
        else:
            entries.append(_prior(entry, math.log(values[entry.name]), left[entry.name] * _deviation(entry)))
    return replace(problem.system.parameters, entries=tuple(entries))


def learnt(entry: Parameter, shifts: Sequence[float]) -> Parameter:
    """``entry`` with a prior for one more machine, learnt from the deviations of the others.

    Args:
        shifts: log(value / prior centre) of the same quantity on each other machine.
    """
    count, deviation = len(shifts), _deviation(entry)
    shift = sum(shifts) / (count + ASSUMED_MACHINES)
    squares = ASSUMED_SPREADS * deviation**2 + sum((each - shift) ** 2 for each in shifts)
    spread = math.sqrt(squares / (ASSUMED_SPREADS + count) * (1.0 + 1.0 / (count + ASSUMED_MACHINES)))
    return _prior(entry, math.log(entry.centre) + shift, spread if shifts else deviation)


def _prior(entry: Parameter, centre: float, deviation: float) -> Parameter:
    """``entry`` with this prior of its logarithm."""
    low, value, high = (math.exp(centre + step * PRIOR_DEVIATIONS / 2.0 * deviation) for step in (-1.0, 0.0, 1.0))
    return replace(entry, value=value, low=low, high=high, interval=None, prior=None, likely=None)


def _deviation(entry: Parameter) -> float:
    """Prior deviation of the logarithm."""
    return math.log(entry.high / entry.low) / PRIOR_DEVIATIONS


def _owner(name: str, machines: Iterable[str]) -> str | None:
    """The machine that owns the parameter ``name``; None for a shared one."""
    return next((each for each in machines if name.startswith(f"{each}_")), None)
