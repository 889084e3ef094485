"""Values that a model expects for the numbers of a claim about a system or a stack."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sim.engine.simulation.options import RunOptions
from sim.engine.statistics.estimates import Estimate
from sim.prediction.prediction import Prediction
from stacksim.claims.claim import Claim
from stacksim.claims.claimed_case import ClaimedCase
from stacksim.claims.expected_ratio import expected_ratio
from stacksim.claims.likelihood import Likely
from stacksim.claims.model_bound import model_bound
from stacksim.claims.predicted import UNANSWERED, UNKNOWN, at_first, changing, likely, predicted
from stacksim.claims.reading import Reading, readings
from stacksim.claims.verdict import Bound


@dataclass(frozen=True)
class Expected:
    """The model's value for a claimed number.

    Attributes:
        value: in ``unit``; nan if the model has none, and the last of the ``warnings`` says why.
        low, high: ends of the prediction interval.
        probability: two-sided, of a measurement at least as far off as the claimed number.
        bound: the model's bound on any measurement, if the claim exceeds it; else None.
        of: name of the claimed number, such as ``throughput``.
        limit: why throughput is not higher, such as a saturated place; empty for a ratio.
    """

    value: float
    low: float
    high: float
    unit: str
    probability: float
    bound: Bound | None
    warnings: tuple[str, ...] = ()
    of: str = ""
    limit: str = ""

    @property
    def known(self) -> bool:
        """True if the model has a value."""
        return not math.isnan(self.probability)


def expected(claim: Claim, options: RunOptions) -> Expected | None:
    """The model's value for the least likely number of ``claim``; None if the claim is about no model.

    Raises:
        InputError: unknown system or setting, or a value that is not allowed.
    """
    about = ClaimedCase.of(claim)
    if about is None:
        return None
    left_out = tuple(f"the model of '{about.case.system.name}' has no {each}" for each in about.left_out)
    try:
        answers = list(_each(claim, about, options))
    except UNANSWERED as error:
        return _unknown(f"the model has no answer: {error}", left_out)
    if not answers:
        return _unknown(f"no answer of '{about.case.system.name}' is the number that is claimed", left_out)
    least = min(answers, key=lambda each: (each.bound is None, _or_more(each.probability)))
    return replace(least, warnings=(*left_out, *least.warnings))


def _or_more(probability: float) -> float:
    """``probability``, or 2 if it is not known, so that known ones come first."""
    return 2.0 if math.isnan(probability) else probability


def _unknown(why: str, warnings: tuple[str, ...] = (), of: str = "", unit: str = "") -> Expected:
    return Expected(math.nan, math.nan, math.nan, unit, math.nan, None, (*warnings, why), of)


def _each(claim: Claim, about: ClaimedCase, options: RunOptions) -> Iterator[Expected]:
    """The model's value for each number of ``claim``, and for its ratio."""
    if claim.comparison:
        ratio = expected_ratio(claim, about, options)
        if isinstance(ratio, str):
            yield _unknown(ratio, of=claim.comparison.of)
        else:
            number = claim.comparison.ratio
            probability = ratio.probability(number)
            yield Expected(ratio.value, ratio.low, ratio.high, "", probability, None, of=claim.comparison.of)
    for reading in readings(claim, about):
        yield _expected(claim, about, reading, options)


def _expected(claim: Claim, about: ClaimedCase, reading: Reading, options: RunOptions) -> Expected:
    number, duration = reading.number, claim.numbers.get("duration")
    bound = model_bound(about.case, reading, duration.value if duration else None)
    prediction = predicted(about.case, options, reading.measure)
    distribution = _likely(about, prediction, reading, duration.value if duration else None, options)
    if isinstance(distribution, str):
        return replace(_unknown(distribution, of=reading.name, unit=number.unit), bound=bound)
    return Expected(
        distribution.value,
        distribution.low,
        distribution.high,
        number.unit,
        distribution.probability(number),
        bound,
        prediction.case.system.parameters.warnings,
        reading.name,
        prediction.limit.short,
    )


def _likely(
    about: ClaimedCase, prediction: Prediction, reading: Reading, seconds: float | None, options: RunOptions
) -> Likely | str:
    """The distribution of measurements of the number in ``reading``, or text that says why it is not known."""
    answer = prediction.answers.get(reading.measure)
    if answer is None:
        return f"the run has no answer '{reading.measure}'"
    first = _at_first(prediction, reading, seconds) if seconds else None
    if first is None and not answer.why and not _usable(answer.estimate, prediction):
        reasons = [each for each in prediction.result.warnings if UNKNOWN in each]
        return f"the model's answer is not known well enough{': ' if reasons else ''}{''.join(reasons[:1])}"
    distribution = likely(about.case, options, reading.measure)
    if isinstance(distribution, str):
        return distribution
    return reading.likely(distribution if first is None else distribution.at(first))


def _usable(estimate: Estimate, prediction: Prediction) -> bool:
    """True if ``estimate`` is known, or at least has a finite interval and nothing still changes."""
    if estimate.known:
        return True
    return not changing(prediction.result) and 0.0 < estimate.low <= estimate.high < math.inf


def _at_first(prediction: Prediction, reading: Reading, seconds: float) -> float | None:
    """The answer observed in the first ``seconds``; None if it does not differ from the long run's."""
    result = prediction.result
    known = prediction.answers[reading.measure].estimate.known
    if result.elapsed is not None or (known and not result.bursts):
        return None
    return at_first(prediction, reading.measure, seconds)
