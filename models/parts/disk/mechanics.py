"""Times of a disk, by the distance of its arm, its rotation, and the place of bytes on the platter.

A seek over a distance d, as a share of the stroke, takes

    track + (full - track) sqrt(d)                                                                        (1)

(the arm accelerates half of the way: Ruemmler and Wilkes, "An introduction to disk drive modeling", IEEE Computer
27 (1994), 3, for all but the longest seeks). Between two places at random d has the density 2 (1 - d), of which

    E sqrt(d) = 8/15,   E d = 1/3,   so that   average = track + (full - track) 8/15                      (2)

is the average seek of data sheets. Data that take only a share s of the platter have distances s times as
long. Half a turn passes in the mean until the sector comes round, evenly spread over one. Tracks further in are
shorter: the rate falls with the share of the bytes that lie further out, taken to be a straight line.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

ROOT_DISTANCE = 8 / 15
"""Mean square root of the distance between two places at random, equation (2)."""

DISTANCE = 1 / 3
"""Mean distance of two places at random."""

TURN_CV = 1.0 / math.sqrt(3.0)
"""Coefficient of variation of a time that is evenly spread from nothing to a whole turn."""


@dataclass(frozen=True)
class Mechanics:
    """The moving parts of a disk.

    Attributes:
        average_s, track_s: seeks between two places at random, and to the next track.
        turn_s: one revolution.
        outer_bytes_per_s, inner_bytes_per_s: rates of the outermost and innermost track.
        span: outer share of the platter that holds data.
    """

    average_s: float
    track_s: float
    turn_s: float
    outer_bytes_per_s: float
    inner_bytes_per_s: float
    span: float = 1.0

    @property
    def seek_s(self) -> float:
        """Mean seek between two places of the data."""
        return self.track_s + (self.average_s - self.track_s) * math.sqrt(self.span)

    def sorted_s(self, count: int) -> float:
        """Mean time to position for the next of ``count`` I/Os served in the order of their places."""
        full_s = self.track_s + (self.average_s - self.track_s) / ROOT_DISTANCE
        return self.track_s + (full_s - self.track_s) * math.sqrt(self.span / (count + 1)) + self.turn_s / 2

    @property
    def position_s(self) -> float:
        """Mean time to position for a random I/O."""
        return self.seek_s + self.turn_s / 2

    @property
    def position_cv(self) -> float:
        """Coefficient of variation of that time, of seek and turn together."""
        stroke_s = (self.average_s - self.track_s) / ROOT_DISTANCE
        seek_variance = stroke_s**2 * self.span * (DISTANCE - ROOT_DISTANCE**2)
        return math.sqrt(seek_variance + self.turn_s**2 / 12) / self.position_s

    @property
    def bytes_per_s(self) -> float:
        """Mean transfer rate over the bytes of the data."""
        slowest = self.outer_bytes_per_s - self.span * (self.outer_bytes_per_s - self.inner_bytes_per_s)
        if slowest == self.outer_bytes_per_s:
            return slowest
        return (self.outer_bytes_per_s - slowest) / math.log(self.outer_bytes_per_s / slowest)
