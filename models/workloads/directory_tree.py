"""A tree of directories: number of names on each level.

level 0: the root ──> its subdirectories ──> … ──> the deepest ones; files in all of them alike

All directories have equally many subdirectories, so that the deepest levels hold most of the names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

_STEPS = 100
"""Bisections to find the number of subdirectories of a directory, to the last digit."""


@dataclass(frozen=True)
class Tree:
    """``files`` files in ``directories`` directories on ``levels`` levels, the root among them."""

    files: float
    directories: float
    levels: int

    @cached_property
    def fanout(self) -> float:
        """Subdirectories of a directory that is not one of the deepest."""
        low, high = 0.0, self.directories
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._with(middle) < self.directories else (low, middle)
        return low

    def _with(self, fanout: float) -> float:
        return sum(fanout**level for level in range(self.levels))

    def directories_on(self, level: int) -> float:
        """Directories on ``level``."""
        return self.fanout**level if level < self.levels else 0.0

    @property
    def files_each(self) -> float:
        """Files in a directory."""
        return self.files / self.directories

    @property
    def names_each(self) -> float:
        """Names in a directory: files and subdirectories, as a mean over all directories."""
        return (self.files + self.directories - 1) / self.directories

    def names_on(self, level: int) -> float:
        """Names in all directories of ``level``."""
        return self.directories_on(level) * self.files_each + self.directories_on(level + 1)
