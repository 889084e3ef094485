"""Random streams by name: one for each place and workload, keyed by the root seed and the *name*.

A place that is renamed or added therefore leaves the draws of all others alone, which gives common
random numbers between two what-ifs. A stream is drawn in blocks by NumPy; both event engines
take the same numbers from it in the same order.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sim.engine.model.addresses import AddressSource
from sim.engine.model.distributions import (
    LONGEST_NS,
    NANOSECONDS_PER_SECOND,
    Constant,
    Distribution,
    PerItem,
    Time,
    nanoseconds,
)

BLOCK = 1024
"""Variates drawn at a time. The size does not change the numbers."""

Number = TypeVar("Number", int, float)


class Streams:
    """All streams of one run.

    Args:
        seed: the root seed, any whole number from 0.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._variates: dict[tuple[str, str], Iterator[float]] = {}
        self._addresses: dict[tuple[str, AddressSource], Iterator[int]] = {}

    def generator(self, owner: str, standard: str) -> np.random.Generator:
        """The generator behind the stream ``standard`` of ``owner``: ``str`` of a place or workload."""
        digest = hashlib.blake2b(f"{owner}\n{standard}".encode(), digest_size=16).digest()
        words = np.frombuffer(digest, dtype="<u4").tolist()
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence([self._seed, *words])))

    def variates(self, owner: str, distribution: Distribution) -> Iterator[float]:
        """Standard variates of ``distribution`` for ``owner``; a second call continues the same stream."""
        key = (owner, distribution.standard)
        if key not in self._variates:
            generator = self.generator(*key)
            self._variates[key] = _one_by_one(lambda: distribution.draw(generator, BLOCK))
        return self._variates[key]

    def uniforms(self, owner: str) -> Iterator[float]:
        """Numbers uniform in [0, 1) for the choices of ``owner``."""
        key = (owner, "uniform")
        if key not in self._variates:
            generator = self.generator(*key)
            self._variates[key] = _one_by_one(lambda: generator.random(BLOCK))
        return self._variates[key]

    def addresses(self, owner: str, source: AddressSource) -> Iterator[int]:
        """The addresses of ``source`` for ``owner``: all its clients share one sequence."""
        key = (owner, source)
        if key not in self._addresses:
            blocks = source.blocks(self.generator(owner, repr(source)), BLOCK)
            self._addresses[key] = _one_by_one(lambda: next(blocks))
        return self._addresses[key]


def _one_by_one(draw: Callable[[], NDArray[np.generic]]) -> Iterator[Number]:
    # tolist() turns NumPy's numbers into Python's, as exact integers and the same doubles.
    while True:
        yield from draw().tolist()


def gaps_owner(workload: object) -> str:
    """Owner of the recorded gaps of ``workload``: not the workload, as its path may look up the same source."""
    return f"gaps of {workload}"


def sampler(streams: Streams, owner: str, time: Time) -> Callable[[int], int]:
    """A function from the size of the batch gathered last to a time in integer nanoseconds."""
    if isinstance(time, PerItem):
        fixed, each_ns = sampler(streams, owner, time.fixed), nanoseconds(time.each)
        return lambda items: fixed(items) + items * each_ns
    if isinstance(time, Constant):
        constant_ns = nanoseconds(time.mean)
        return lambda _items: constant_ns
    following = streams.variates(owner, time).__next__
    scale_ns = time.scale_s * NANOSECONDS_PER_SECOND
    return lambda _items: math.floor(min(following() * scale_ns + 0.5, LONGEST_NS))
