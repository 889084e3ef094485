"""Leveled compaction of key ranges, written apart from the models: files of random keys, picked by least overlap.

Level 0 is merged into level 1 as a whole; a file of a further level with those of the next that overlap with it;
one that overlaps with none is moved. Keys are drawn from as many as fill the last level to its target; equal ones
replace each other.
"""

from __future__ import annotations

import random

KEYS = 64
"""Keys of a file."""


def compacted(base, fanout, levels, flushes, trigger=4, seed=1):
    """After each of ``flushes``: files written by merges into each level, files that came to it, and its files."""
    draw = random.Random(seed)  # noqa: S311  (no secret)
    kept = [[] for _ in range(levels + 1)]
    wrote, came = [0.0] * (levels + 1), [0.0] * (levels + 1)
    for _ in range(flushes):
        kept[0].append(sorted(draw.sample(range(KEYS * base * fanout ** (levels - 1)), KEYS)))
        if len(kept[0]) >= trigger:
            came[1] += len(kept[0])
            kept[1] = _split(kept[0] + kept[1])
            wrote[1] += len(kept[1])
            kept[0] = []
        for level in range(1, levels):
            while len(kept[level]) > base * fanout ** (level - 1):
                pairs = [(_overlapping(each, kept[level + 1]), each) for each in kept[level]]
                overlapping, file = min(pairs, key=lambda pair: len(pair[0]))
                kept[level].remove(file)
                came[level + 1] += 1
                merged = _split([file, *overlapping])
                wrote[level + 1] += len(merged) if overlapping else 0
                kept[level + 1] = sorted([each for each in kept[level + 1] if each not in overlapping] + merged)
        yield [*wrote[1:]], [*came[1:]], [len(each) for each in kept[1:]]


def _overlapping(file, following):
    return [each for each in following if each[-1] >= file[0] and each[0] <= file[-1]]


def _split(files):
    keys = sorted({key for file in files for key in file})
    return [keys[begin : begin + KEYS] for begin in range(0, len(keys), KEYS)]
