"""The usual suspects: other measurements that would explain a claimed number, the best explanation first."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sim.engine.extensions import load, registered, usable
from sim.engine.simulation.options import RunOptions
from stacksim.claims.claim import Claim
from stacksim.claims.expected import Expected
from stacksim.claims.suspects.block_size import block_size, merged_requests
from stacksim.claims.suspects.both_directions import both_directions
from stacksim.claims.suspects.burst import burst
from stacksim.claims.suspects.cached_in_array import cached_in_array
from stacksim.claims.suspects.cached_on_host import cached_on_host
from stacksim.claims.suspects.compressible import compressible
from stacksim.claims.suspects.in_model import PRECISION
from stacksim.claims.suspects.other_date import other_date
from stacksim.claims.suspects.parts import fewer_parts, more_parts
from stacksim.claims.suspects.percentile import percentile
from stacksim.claims.suspects.queue_depth import queue_depth
from stacksim.claims.suspects.second_cap import second_cap
from stacksim.claims.suspects.setting import setting
from stacksim.claims.suspects.short_run import short_run
from stacksim.claims.suspects.sum_as_mean import sum_as_mean
from stacksim.claims.suspects.suspected import suspicions
from stacksim.claims.suspects.suspicion import Lead, Suspect, Suspicion
from stacksim.claims.suspects.units import units
from stacksim.claims.verdict import Explanation

SUSPECTS: Mapping[str, Suspect] = MappingProxyType(
    {
        "percentile": percentile,
        "burst": burst,
        "cached-on-host": cached_on_host,
        "cached-in-array": cached_in_array,
        "short-run": short_run,
        "second-cap": second_cap,
        "other-date": other_date,
        "both-directions": both_directions,
        "units": units,
        "sum-as-mean": sum_as_mean,
        "queue-depth": queue_depth,
        "block-size": block_size,
        "fewer-parts": fewer_parts,
        "more-parts": more_parts,
        "setting": setting,
        "merged-requests": merged_requests,
        "compressible": compressible,
    }
)
"""Suspects by cause, in the order in which equally good explanations are listed: more frequent causes
first."""

GROUP = "stacksim.suspects"
"""Entry-point group of suspects that other packages bring, by cause; they come last."""

TIE = PRECISION
"""Errors below this are equal: no trial is more precise."""

LEAST = 0.5
"""Largest share of the disagreement, as a logarithm, that an explanation may leave unexplained."""

FREE, FOUND = 0.3, 0.1
"""Least error of explanations with a free value, which would fit any number, unless the claim
itself states the cause. Less for a setting or a count found by search: not every value of it is realistic."""

MOST = 5
"""Largest number of explanations."""


def explanations(claim: Claim, model: Expected | None, options: RunOptions) -> tuple[Explanation, ...]:
    """Likely explanations of ``claim``, the best one first, one of each cause.

    Those that leave more than half of the disagreement are dropped, and those under which hardware still forbids
    the number. At a tie, causes that the claim itself states come first.
    """
    suspects: dict[str, Suspect] = {**SUSPECTS}
    suspects |= usable(registered(GROUP).values(), load)
    found = [
        (_rank(suspicion, lead), place, _explanation(suspicion, cause, lead))
        for suspicion in suspicions(claim, model, options)
        for place, (cause, suspect) in enumerate(suspects.items())
        for lead in suspect(suspicion)
        if suspicion.possible(lead.predicted)
        and suspicion.misses(lead.predicted) <= LEAST * suspicion.misses(suspicion.base)
    ]
    best: dict[str, Explanation] = {}
    for _, _, explanation in sorted(found, key=lambda each: each[:2]):
        best.setdefault(explanation.cause, explanation)
    return tuple(best.values())[:MOST]


def _rank(suspicion: Suspicion, lead: Lead) -> tuple[float, bool]:
    """Sort key: the error of a lead, then False if the claim itself states the cause."""
    least = TIE if lead.said or not (lead.free or lead.found) else FREE if lead.free else FOUND
    return max(suspicion.misses(lead.predicted), least), not lead.said


def _explanation(suspicion: Suspicion, cause: str, lead: Lead) -> Explanation:
    unit = suspicion.number.unit
    return Explanation(lead.what, cause, lead.predicted, unit, lead.predicted / suspicion.number.value - 1.0)
