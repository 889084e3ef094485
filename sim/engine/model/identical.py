"""Common names of places whose names differ only in numbers: cells of a rack, sessions of a node."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NUMBER = re.compile(r"\d+")


def common_names(places: Iterable[str]) -> dict[str, str]:
    """The common name of each of ``places``, such as ``node 1 session *``."""
    families: dict[str, list[str]] = {}
    for place in sorted(places):
        families.setdefault(_NUMBER.sub("*", place), []).append(place)
    named = [(_common(members), members) for members in families.values()]
    return {place: name for name, members in named for place in members}


def _common(members: list[str]) -> str:
    """Name of ``members`` with a star for each number that differs between them."""
    numbers = [set(column) for column in zip(*(_NUMBER.findall(member) for member in members), strict=True)]
    following = iter(next(iter(column)) if len(column) == 1 else "*" for column in numbers)
    return _NUMBER.sub(lambda _: next(following), members[0])
