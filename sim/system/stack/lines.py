"""Line numbers of entries of a TOML file, for errors: its parser does not keep them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

_HEADER = re.compile(r"\s*\[(\[?)\s*([A-Za-z0-9_.\"' -]+?)\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"\s*([A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')\s*[=.]")


@dataclass(frozen=True)
class Lines:
    """Line numbers of a file's entries, from 1, by table, index among tables of its name, and key."""

    numbers: dict[tuple[str, int, str], int]

    @classmethod
    def of(cls, text: str) -> Lines:
        """Line numbers for the ``text`` of a TOML file; for an entry over several lines, the first."""
        numbers: dict[tuple[str, int, str], int] = {}
        table, index = "", 0
        seen: Counter[str] = Counter()
        arrays: Counter[str] = Counter()
        for number, line in enumerate(text.splitlines(), 1):
            if header := _HEADER.fullmatch(line):
                table = header[2].strip("\"'")
                index = seen[table] if header[1] else max(0, arrays[table.partition(".")[0]] - 1)
                seen[table] += 1
                arrays[table] += bool(header[1])
                numbers.setdefault((table, index, ""), number)
            elif key := _KEY.match(line):
                numbers.setdefault((table, index, key[1].strip("\"'")), number)
        return cls(numbers)

    def of_entry(self, table: str, index: int, key: str = "") -> int | None:
        """The line of ``key`` in a table, or else of the table; None if neither is found.

        A table inside one of several tables of a name, such as ``[claim.than]``, has the key ``than``, and an
        entry of it ``than.throughput``.
        """
        inner, _, inmost = key.partition(".")
        for wanted in (
            (table, index, key),
            (f"{table}.{inner}", index, inmost),
            (table, index, inner),
            (f"{table}.{inner}", index, ""),
            (table, index, ""),
            ("", 0, table),
        ):
            if wanted in self.numbers:
                return self.numbers[wanted]
        return None
