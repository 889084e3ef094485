"""Costs of designs: prices of settings, from a small TOML file.

months = 36

[cells]
purchase = 90000
month = 1200

[fabric]
ddr = { purchase = 12000 }
qdr = { purchase = 20000 }
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from sim.engine.errors import InputError, nearest, shown
from sim.engine.files import read_toml
from sim.system.settings import Choice, Flag, Setting
from sim.system.system import System

MONTHS = 36
"""Months for which the monthly price counts by default: three years, as hardware is written off."""

_PRICE = ("purchase", "month", "per")
_WHOLE = ("months", "currency")


class CostRecord(TypedDict):
    """The cost of a design: once, per month for ``months``, and in all."""

    purchase: float
    month: float
    months: float
    currency: str
    total: float


@dataclass(frozen=True)
class Cost:
    """The cost of a design: once, and per month for ``months``."""

    purchase: float
    month: float
    months: float
    currency: str = ""

    @property
    def total(self) -> float:
        """The sum over all months."""
        return self.purchase + self.month * self.months

    def record(self) -> CostRecord:
        """The costs in the JSON of ``find --json``."""
        return {
            "purchase": self.purchase,
            "month": self.month,
            "months": self.months,
            "currency": self.currency,
            "total": self.total,
        }


@dataclass(frozen=True)
class Price:
    """The price of ``per`` of a setting."""

    purchase: float
    month: float
    per: float = 1.0


@dataclass(frozen=True)
class Prices:
    """Prices of settings: per unit, or per option."""

    of_unit: Mapping[str, Price]
    of_word: Mapping[str, Mapping[str, Price]]
    months: float = MONTHS
    currency: str = ""

    @property
    def priced(self) -> set[str]:
        """Names of settings that have a price."""
        return {*self.of_unit, *self.of_word}

    def cost(self, settings: Mapping[str, Any]) -> Cost:
        """The cost of ``settings``, values by name.

        Raises:
            InputError: an option that has no price, while others of its setting have.
        """
        bought = [(price, float(settings[name]) / price.per) for name, price in self.of_unit.items()]
        bought += [(_word(name, prices, settings[name]), 1.0) for name, prices in self.of_word.items()]
        purchase = sum(price.purchase * number for price, number in bought)
        month = sum(price.month * number for price, number in bought)
        return Cost(purchase, month, self.months, self.currency)


def prices_of(system: System, path: Path) -> Prices:
    """The prices in the file ``path``.

    Raises:
        InputError: it cannot be read, prices what is no setting, or has an entry that is not allowed.
    """
    content, where = read_toml("price list", path).tables, f"price list '{shown(path)}'"
    by_name = {each.name: each for each in system.settings}
    of_unit: dict[str, Price] = {}
    of_word: dict[str, dict[str, Price]] = {}
    for name, entry in content.items():
        if not isinstance(entry, dict):
            if name not in _WHOLE:
                raise InputError(f"{where}: '{shown(name)}' is no price; {nearest(name, (*_WHOLE, *by_name))}")
            continue
        if name not in by_name:
            raise InputError(f"{where}: no setting '{shown(name)}'; {nearest(name, by_name)}")
        setting = by_name[name]
        if isinstance(setting, Choice | Flag) and not set(entry) & {"purchase", "month"}:
            of_word[name] = {
                setting.show(setting.parse(word)): _price(f"{where}: {name} {word}", price, setting)
                for word, price in entry.items()
            }
        else:
            of_unit[name] = _price(f"{where}: {name}", entry, setting)
    currency = content.get("currency", "")
    if not isinstance(currency, str):
        raise InputError(f"{where}: currency is '{shown(currency)}'; allowed: text, such as \"EUR\"")
    return Prices(of_unit, of_word, _amount(f"{where}: months", content.get("months", MONTHS)), currency)


def _price(where: str, entry: object, setting: Setting) -> Price:
    if not isinstance(entry, dict) or not entry:
        raise InputError(f"{where} is '{shown(entry)}'; allowed: purchase = …, month = …")
    for key in entry:
        if key not in _PRICE:
            raise InputError(f"{where} has no '{shown(key)}'; {nearest(key, _PRICE)}")
    if isinstance(setting, Choice):
        if set(entry) - {"purchase", "month"}:
            raise InputError(f"{where} has a 'per', and is a word; leave it out")
    elif not isinstance(setting.default, bool | int | float):
        raise InputError(f"{where}: its values are no amounts; price something else")
    purchase, month = (_amount(f"{where}, {key}", entry.get(key, 0.0)) for key in ("purchase", "month"))
    per = float(setting.parse(entry["per"])) if "per" in entry else 1.0
    if not per:
        raise InputError(f"{where}, per is '{shown(entry['per'])}'; allowed: more than 0")
    return Price(purchase, month, per)


def _word(name: str, prices: Mapping[str, Price], value: Any) -> Price:
    word = str(value) if not isinstance(value, bool) else "yes" if value else "no"
    if word not in prices:
        raise InputError(f"no price of {name}={word}; add [{name}] {word} = {{ purchase = … }}, or vary less")
    return prices[word]


def _amount(where: str, value: object) -> float:
    """``value`` as a number from 0; anything else is refused by a message that begins with ``where``."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value < math.inf:
        raise InputError(f"{where} is '{shown(value)}'; allowed: a number from 0")
    return float(value)
