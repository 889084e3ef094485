"""Instructions: cells of 64 bits with an op-code and two operands, so that code takes little of a cache.

Operands are addresses and small numbers. A larger number (tokens, bytes, a time) has a cell of its own, whose
address is the operand.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim.engine.errors import ModelError
from sim.engine.events.compiled.jit import inlined

CODE_BITS, SECOND_BITS, FIRST_BITS = 6, 28, 29  # 63: the number stays positive

_CODE, _SECOND = (1 << CODE_BITS) - 1, (1 << SECOND_BITS) - 1
_FIRST_SHIFT = CODE_BITS + SECOND_BITS


@inlined
def code_of(word: int) -> int:
    """The op-code of an instruction."""
    return word & _CODE


@inlined
def first_of(word: int) -> int:
    """The first operand of an instruction."""
    return word >> _FIRST_SHIFT


@inlined
def second_of(word: int) -> int:
    """The second operand of an instruction."""
    return word >> CODE_BITS & _SECOND


def packed(codes: Sequence[int], firsts: Sequence[int], seconds: Sequence[int]) -> NDArray[np.int64]:
    """Instructions, shape (instructions,).

    Raises:
        ModelError: an operand is too large: without its caches the model takes more than 2 GiB.
    """
    columns = [np.array(column, dtype=np.int64) for column in (codes, firsts, seconds)]
    for operands, bits in zip(columns[1:], (FIRST_BITS, SECOND_BITS), strict=True):
        if operands.size and (largest := int(operands.max())) >= 1 << bits:
            raise ModelError(
                f"the program of the model reaches to cell {largest}; allowed: below {1 << bits}; "
                "lump workloads and places that are alike, or replay fewer records"
            )
    return columns[0] | columns[2] << CODE_BITS | columns[1] << _FIRST_SHIFT
