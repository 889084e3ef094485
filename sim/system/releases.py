"""A setting that is the release of a program, such as the kernel."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from sim.system.records import field_with
from sim.system.settings import Setting

Release = tuple[int, int]
"""The first two numbers of a release: 5.15.0-91-generic is (5, 15)."""

_WRITTEN = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})([.\-+][0-9A-Za-z.\-+_~]{0,80})?", re.ASCII)


@dataclass(frozen=True)
class ReleaseOf(Setting):
    """A release of ``program`` from ``low`` to ``high``, written as ``uname -r`` prints it, or shorter."""

    program: str = ""
    low: Release = (0, 0)
    high: Release = (9999, 9999)

    @property
    def allowed(self) -> str:
        return (
            f"a release of {self.program} from {self.show(self.low)} to {self.show(self.high)} in quotes, "
            'such as "6.3" or "5.15.0-91-generic"'
        )

    def parse(self, raw: object) -> Release:
        """Parse a release; a decimal number is refused, since 5.10 would be read as 5.1."""
        value = self._read(raw) if isinstance(raw, str) else raw
        if not _is_release(value) or not self.low <= value <= self.high:
            raise self.refuse(raw)
        return value

    def _read(self, text: str) -> Release | None:
        match = _WRITTEN.fullmatch(text.strip())
        return (int(match[1]), int(match[2])) if match else None

    def show(self, value: Any) -> str:
        return f"{value[0]}.{value[1]}"

    def plain(self, value: Any) -> str:
        return self.show(value)


def _is_release(value: object) -> TypeGuard[Release]:
    """True if ``value`` is a pair of whole numbers."""
    return isinstance(value, tuple) and [type(part) for part in value] == [int, int]


def release(default: str, about: str, *, program: str, low: Release, high: Release) -> Any:
    """A field that is a release of ``program``, of which the first two numbers are kept."""
    setting = ReleaseOf("", default, about, program, low, high)
    value = setting.parse(default)
    return field_with(value, replace(setting, default=value))
