"""Solution of a model: refuses unsolvable ones, then iterates hit ratios and the fixed point of waits."""

from __future__ import annotations

from sim.engine.analytic.analysis import Analysis
from sim.engine.analytic.caches import POLICIES, Hits
from sim.engine.analytic.exact import solve_exactly
from sim.engine.analytic.jobs import elapsed_s, endless
from sim.engine.analytic.network import PRECISE, Network
from sim.engine.analytic.record import analysis
from sim.engine.analytic.sleepers import awake
from sim.engine.errors import ModelError, NoSteadyStateError
from sim.engine.model.model import Model
from sim.engine.model.once import once_for_each
from sim.engine.model.places import Place
from sim.engine.model.standstill import ends
from sim.engine.model.steps import Fork, IfAny, Lookup, Put, Take, iter_steps
from sim.engine.model.symmetry import Symmetry, symmetry
from sim.engine.model.workloads import Workload


def solve(model: Model) -> Analysis:
    """Solve ``model`` for its long run, in milliseconds.

    Raises:
        ModelError: the analytic engine cannot solve it; names the place or workload.
        NoSteadyStateError: the load is beyond capacity, or comes to a standstill.
    """
    refuse_standstill(model)
    return solved(symmetry(model))


def refuse_standstill(model: Model) -> None:
    """Refuse a ``model`` with a workload that comes to a standstill, which a fixed point of means does not show.

    Raises:
        ModelError: jobs, which may end before.
        NoSteadyStateError: an endless load.
    """
    standstills = ends(model)
    for row in standstills:
        from sim.engine.model.standstill_causes import told  # lazily: few loads come to a standstill

        why = told(model, standstills, row)
        if model.finite:
            raise ModelError(f"{why}; whether the job ends before that, only a simulation tells")
        raise NoSteadyStateError(f"no steady state: {why}")


def solved(folded: Symmetry) -> Analysis:
    """Solve a lumped model without workloads that come to a standstill; errors as in `solve`."""
    jobs = awake(folded)
    for workload, _ in jobs.workloads:
        _check_solvable(workload)
    read = endless(jobs)
    caches: dict[Place, Hits] = {}
    for _ in range(20):
        network = Network(read, caches)
        exact = solve_exactly(network.chains, network.nodes)
        if not exact:
            network.solve()
        if max((hits.update() for hits in caches.values()), default=0.0) < PRECISE:
            break
    network.refuse_overload()
    # The bounds come from the original model: a wake-up that some requests do not wait for is no bound.
    elapsed = elapsed_s(jobs, network.chains, network.buffer_roles.values())
    return analysis(endless(folded), network, exact=exact, elapsed_s=elapsed)


@once_for_each
def _check_solvable(workload: Workload) -> None:
    """Refuse workloads that depend on the state at one moment, or on the clock: the fixed point has means only."""
    if workload.timed:
        raise ModelError(
            f"{workload} comes or goes by the clock ({workload.timed}); the analytic engine knows the long run "
            "only: simulate it"
        )
    for step in iter_steps(workload.path):
        if isinstance(step, Put | Take) and step.buffer.watermarked:
            raise ModelError(
                f"{step.buffer} has watermarks low {step.buffer.low} and high {step.buffer.high}, which the "
                "analytic engine cannot solve; take them out, or simulate"
            )
        if isinstance(step, Lookup) and step.cache.policy not in POLICIES:
            raise ModelError(
                f"{step.cache} has policy '{step.cache.policy}'; the analytic engine knows the hit ratios of "
                f"{' and '.join(POLICIES)} only: simulate it"
            )
        if isinstance(step, Fork) and step.wait and step.leaves:
            raise ModelError(
                f"{workload} waits for {step.needed} of {len(step.branches)} branches of a Fork, which the "
                "analytic engine cannot solve; wait for all, or simulate"
            )
        if isinstance(step, IfAny):
            raise ModelError(
                f"{workload} asks whether anything is at {step.at} (IfAny), which the analytic engine cannot "
                "solve; simulate it"
            )
