"""A load that grows by a share of itself every month."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from math import floor, isfinite
from typing import Any

from sim.engine.errors import InputError, nearest, shown
from sim.engine.units.text import number_text
from sim.system.quantities import Quantity
from sim.system.settings import Count, Number, Setting, Size, pairs

LEAST, MOST = 0.0001, 1.0
"""Range of the monthly growth, as a share: 1 doubles the load every month."""

MOST_MONTHS = 600


@dataclass(frozen=True)
class GrowingLoad:
    """The value of one setting, month by month from 0, which is ``start``.

    Attributes:
        today: in month 0.
        by: monthly growth, as a share.
        months: number of months, including month 0.
        start: the first day of month 0.
    """

    setting: Setting
    today: Any
    by: float
    months: int
    start: date

    @classmethod
    def of(cls, settings: Iterable[Setting], word: str, by: float, months: int, start: date) -> GrowingLoad:
        """The load ``word``, such as ``rate=3000``.

        Raises:
            InputError: no such setting or value, or a setting that cannot grow.
        """
        ((name, text),) = pairs([word], "setting", "rate=3000").items()
        by_name = {setting.name: setting for setting in settings}
        numbers = [each for each, setting in by_name.items() if _grows(setting)]
        if name not in by_name:
            raise InputError(f"no setting '{shown(name)}'; {nearest(name, numbers or by_name)}")
        if name not in numbers:
            hint = f"allowed: {', '.join(numbers)}" if numbers else "this system has none that does"
            raise InputError(f"load '{name}' does not grow; {hint}")
        today = by_name[name].parse(text)
        if not today > 0.0 or not isfinite(today):
            raise InputError(f"load {name} is '{shown(text)}'; allowed: a number above 0, which can grow")
        return cls(by_name[name], today, by, months, start)

    @property
    def counted(self) -> bool:
        """True if the load is a whole number: clients or bytes."""
        return isinstance(self.setting, Count | Size)

    def at(self, month: int) -> Any:
        """The load in ``month``; if it is counted, the nearest whole number, with halves rounded up.

        Raises:
            InputError: more than the setting allows.
        """
        grown = self.today * (1.0 + self.by) ** month
        return self.setting.parse(floor(grown + 0.5) if self.counted else grown)

    def text(self, value: Any) -> str:
        """``value`` of the load as text."""
        return self.setting.show(value) if self.counted else number_text(value)

    def date(self, month: int) -> str:
        """The year and month of ``month``, such as 2027-03."""
        years, index = divmod(self.start.year * 12 + self.start.month - 1 + month, 12)
        return f"{years:04}-{index + 1:02}"


def _grows(setting: Setting) -> bool:
    return isinstance(setting, Count | Size | Number) or (
        isinstance(setting, Quantity) and setting.unit != "second"
    )
