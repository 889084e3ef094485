"""Control variates: exactly known means of a run show how much of an error was chance.

A run in which services happened to be longer than their mean underestimates throughput. How much
longer they were is known, as their exact mean is given. So each batch has, beside its error e, controls c, whose
mean is zero whatever the answer is. Least squares over the batches give the part of e explained by c; the mean of
that part, zero in the long run but not in this one, is subtracted from the answer, whose interval is that of
the rest:

    e_j = β (c_j - c̄) + r_j,    Σ r_j = 0;    what is left of the error has the variance

    s² (1/n + c̄ᵀ (Σ (c_j - c̄)(c_j - c̄)ᵀ)⁻¹ c̄),    s² = Σ r_j² / (n - 1 - q)

with n batches and q controls; Student's t has n - 1 - q degrees of freedom (Lavenberg and Welch, "A perspective on
the use of control variables to increase the efficiency of Monte Carlo simulations", Management Science 27 (1981),
322-335).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim.engine.statistics.estimates import Series

_ALIKE = 1e-9
"""Controls whose relative difference is smaller count as one."""


@dataclass(frozen=True)
class Unexplained:
    """Errors of batches after controls are subtracted.

    Attributes:
        errors: error of each batch, all adding up to zero, shape (batches,).
        luck: mean over the batches of the part explained by controls, in the unit of an error.
        lost: degrees of freedom used by the controls.
        wider: factor on the standard error, as the coefficients of the controls are estimates.
    """

    errors: Series
    luck: float = 0.0
    lost: int = 0
    wider: float = 1.0


def unexplained(errors: Series, controls: Series | None) -> Unexplained:
    """``errors``, shape (batches,), with sum zero, less their part by ``controls``, shape (batches, controls)."""
    if controls is None:
        return Unexplained(errors)
    means = controls.mean(axis=0)
    directions, sizes, rows = np.linalg.svd(controls - means, full_matrices=False)
    kept = sizes > _ALIKE * sizes[0]
    directions, sizes, rows = directions[:, kept], sizes[kept], rows[kept]
    explained, surplus = errors @ directions, rows @ means / sizes
    return Unexplained(
        errors - directions @ explained,
        float(explained @ surplus),
        int(kept.sum()),
        math.sqrt(1.0 + len(errors) * float(surplus @ surplus)),
    )
