"""Settings of a system: named, typed, with a default, and checked here.

They are the fields of a frozen dataclass, so that mypy knows them:

    @dataclass(frozen=True)
    class DiskSettings:
        users: int = count(1, "processes that read", high=1000)
        block: int = size(8192, "bytes of a read")
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Integral, Real
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Generic

from typing_extensions import TypeVar

from sim.engine.checks import quoted
from sim.engine.errors import InputError, did_you_mean, nearest, shown
from sim.engine.units import bytes_of, reading, size_hint, size_text
from sim.engine.units.text import number_text
from sim.system.records import field_with, kept_in

Values = Mapping[str, Any]
"""A value for each setting of a system, by name."""


ROLES = (
    *("clients", "processes", "threads", "depth", "nodes", "devices", "links", "cores", "parts", "lost"),
    *("block", "chunk", "bytes", "data", "amount", "memory", "array_memory"),
    *("op", "order", "durable", "access", "direct_io", "page_cache", "write_cache", "compression", "credits"),
)
"""What settings mean to those who ask: how many ask (``clients``; ``processes`` of each client; ``threads`` of
each process), with how many requests in flight each (``depth``); how many parts there are, other ``parts``, how
many are ``lost``; bytes of a request (``block``), of what one program moves at once (``chunk``), of all that is
moved (``bytes``), of what is there (``data``), another ``amount`` of work; memories; and how storage is asked,
opened and set up."""

_OF_SEVERAL = ("parts", "lost", "chunk", "amount")
"""Roles that several settings of a system may have; of every other, importers and claims set the only one."""


@dataclass(frozen=True)
class Setting:
    """One thing that a user chooses.

    Attributes:
        role: one of ``ROLES``; by default its name, if that is one of them.
    """

    name: str
    default: Any
    help: str
    role: str = field(default="", kw_only=True, repr=False)

    def __post_init__(self) -> None:
        if self.role and self.role not in ROLES:
            raise InputError(f"role of '{self.name}' is '{shown(self.role)}'; {nearest(self.role, ROLES)}")

    @property
    def means(self) -> str:
        """Role of the setting; empty if it has none."""
        return self.role or (self.name if self.name in ROLES else "")

    def parse(self, raw: object) -> Any:
        """Return the value that ``raw`` (text, or a value from Python) stands for.

        Raises:
            InputError: one line with the value and what is allowed.
        """
        raise NotImplementedError

    def show(self, value: Any) -> str:
        """Write ``value`` as ``parse`` reads it."""
        return str(value)

    def plain(self, value: Any) -> Any:
        """``value`` ready for JSON; ``parse`` reads it, too."""
        return value

    @property
    def allowed(self) -> str:
        """Values that ``parse`` accepts, in words."""
        raise NotImplementedError

    def refuse(self, raw: object, hint: str = "") -> InputError:
        """The error for a value that is not allowed; ``hint`` suggests a value."""
        return InputError(f"{self.name} is '{shown(raw)}'; {hint}allowed: {self.allowed}")


@dataclass(frozen=True)
class Count(Setting):
    """A whole number from ``low`` to ``high``."""

    low: int = 1
    high: int = 1_000_000

    @property
    def allowed(self) -> str:
        return f"a whole number from {self.low} to {self.high}"

    def parse(self, raw: object) -> int:
        value = reading.whole(raw) if isinstance(raw, str) else raw
        if isinstance(value, bool) or not isinstance(value, Integral) or not self.low <= int(value) <= self.high:
            raise self.refuse(raw)
        return int(value)


@dataclass(frozen=True)
class Size(Setting):
    """A number of bytes from ``low`` to ``high``, written like 32KiB."""

    low: int = 1
    high: int = 1 << 40

    @property
    def allowed(self) -> str:
        return (
            f"a whole number of bytes from {size_text(self.low)} to {size_text(self.high)}, such as 32KiB or 1MiB"
        )

    def parse(self, raw: object) -> int:
        try:
            value = bytes_of(self.name, raw) if isinstance(raw, str) else raw
        except InputError:
            raise self.refuse(raw, size_hint(raw)) from None
        if isinstance(value, bool) or not isinstance(value, Integral | float) or value != value // 1:
            raise self.refuse(raw)
        if not self.low <= int(value) <= self.high:
            raise self.refuse(raw)
        return int(value)

    def show(self, value: Any) -> str:
        return size_text(value)


@dataclass(frozen=True)
class Number(Setting):
    """A decimal number from ``low`` to ``high``."""

    low: float = 0.0
    high: float = 1.0

    @property
    def allowed(self) -> str:
        return f"a number from {number_text(self.low, 6)} to {number_text(self.high, 6)}"

    def parse(self, raw: object) -> float:
        value = reading.number(raw.strip(), exponent=False) if isinstance(raw, str) else raw
        if isinstance(value, bool) or not isinstance(value, Real) or not self.low <= float(value) <= self.high:
            raise self.refuse(raw)
        return float(value) + 0.0  # no -0

    def show(self, value: Any) -> str:
        return format(Decimal(str(value)), "f").removesuffix(".0")


@dataclass(frozen=True)
class Choice(Setting):
    """One of a few words."""

    options: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        return ", ".join(self.options)

    def parse(self, raw: object) -> str:
        if raw not in self.options:
            raise InputError(f"{self.name} is '{shown(raw)}'; {nearest(str(raw), self.options)}")
        return str(raw)


@dataclass(frozen=True)
class File(Setting):
    """The name of a file that exists, or ``none``."""

    @property
    def allowed(self) -> str:
        return "a file that can be read, or none"

    def parse(self, raw: object) -> str:
        if not isinstance(raw, str) or not (raw == "none" or _is_file(raw)):
            raise self.refuse(raw)
        return raw


_ALSO_YES_OR_NO = {"on": "yes", "true": "yes", "1": "yes", "off": "no", "false": "no", "0": "no"}
"""Common words for yes and no, for hints in errors."""


@dataclass(frozen=True)
class Flag(Setting):
    """Yes or no."""

    @property
    def allowed(self) -> str:
        return "yes, no"

    def parse(self, raw: object) -> bool:
        if isinstance(raw, bool):
            return raw
        if raw not in ("yes", "no"):
            meant = _ALSO_YES_OR_NO.get(raw.casefold(), raw) if isinstance(raw, str) else ""
            raise self.refuse(raw, did_you_mean(meant, ("yes", "no")))
        return raw == "yes"

    def show(self, value: Any) -> str:
        return "yes" if value else "no"


def count(default: int, about: str, *, low: int = 1, high: int = 1_000_000, role: str = "") -> Any:
    """A field that is a whole number from ``low`` to ``high``."""
    return field_with(default, Count("", default, about, low, high, role=role))


def size(default: int, about: str, *, low: int = 1, high: int = 1 << 40, role: str = "") -> Any:
    """A field that is a number of bytes from ``low`` to ``high``, which people write like 32KiB."""
    return field_with(default, Size("", default, about, low, high, role=role))


def number(default: float, about: str, *, low: float = 0.0, high: float = 1.0) -> Any:
    """A field that is a decimal number from ``low`` to ``high``."""
    return field_with(default, Number("", default, about, low, high))


def choice(default: str, about: str, options: Iterable[str], *, role: str = "") -> Any:
    """A field that is one of a few words."""
    return field_with(default, Choice("", default, about, tuple(options), role=role))


def flag(about: str, *, default: bool, role: str = "") -> Any:
    """A field that is yes or no."""
    return field_with(default, Flag("", default, about, role=role))


def file(about: str) -> Any:
    """A field that is the name of a file that exists, or ``none``."""
    return field_with("none", File("", "none", about))


Record = TypeVar("Record", default=Any)


@dataclass(frozen=True)
class Settings(Generic[Record]):
    """The settings of one system, in order.

    Attributes:
        record: type that a model is built from: a frozen dataclass with a field for each setting.

    Raises:
        InputError: two settings have one role.
    """

    entries: tuple[Setting, ...]
    record: Callable[..., Any] = SimpleNamespace

    def __post_init__(self) -> None:
        first: dict[str, str] = {}
        for name, role in ((each.name, each.means) for each in self.entries):
            if role and role not in _OF_SEVERAL and first.setdefault(role, name) != name:
                raise InputError(
                    f"settings '{first[role]}' and '{name}' both have the role '{role}'; allowed: one; give the "
                    "other one another name or role"
                )

    @classmethod
    def of(cls, record: type[Record]) -> Settings[Record]:
        """The fields of ``record``, each made by ``count``, ``size`` or the like."""
        entries = tuple(kept_in(record, Setting, "such as users: int = count(1, …)"))
        for entry in entries:
            entry.parse(entry.default)  # a default outside its bounds is refused here, once
        return Settings(entries, record)

    def __iter__(self) -> Iterator[Setting]:
        return iter(self.entries)

    def of_role(self, *roles: str) -> list[Setting]:
        """Settings with one of ``roles``: all of the first role, then all of the second."""
        return [entry for role in roles for entry in self.entries if entry.means == role]


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except OSError:  # such as a name that is too long
        return False


def complete(settings: Iterable[Setting], values: Values, parameters: Collection[str] = ()) -> dict[str, Any]:
    """Check ``values`` and fill in the defaults: a value for every setting, in their order.

    Args:
        parameters: names of the system's parameters, for the error of one given as a setting.

    Raises:
        InputError: an unknown setting (with the nearest name) or a value that is not allowed.
    """
    entries = tuple(settings)
    given = parsed(entries, values, parameters)
    return {each.name: given[each.name] if each.name in given else each.parse(each.default) for each in entries}


def parsed(settings: Iterable[Setting], values: Values, parameters: Collection[str] = ()) -> dict[str, Any]:
    """Check ``values`` alone, without defaults; ``parameters`` as for ``complete``.

    Raises:
        InputError: an unknown setting (with the nearest name) or a value that is not allowed.
    """
    if not isinstance(values, Mapping):
        raise InputError(f"settings are {quoted(values)}; allowed: a mapping, such as {{'nodes': 4}}")
    by_name = {setting.name: setting for setting in settings}
    for name in values:
        if name not in by_name:
            raise no_setting(name, by_name, parameters)
    return {name: setting.parse(values[name]) for name, setting in by_name.items() if name in values}


def no_setting(name: str, settings: Iterable[str], parameters: Collection[str] = ()) -> InputError:
    """The error for a name that is none of ``settings``, which may be one of ``parameters``."""
    if name in parameters:
        return InputError(
            f"'{name}' is a parameter, not a setting; write --set {name}=VALUE, in Python "
            f"parameters={{'{name}': VALUE}}"
        )
    return InputError(f"no setting '{shown(name)}'; {nearest(name, settings)}")


def pairs(words: Iterable[str], what: str = "setting", example: str = "nodes=4") -> dict[str, str]:
    """Read words like ``nodes=4`` into names and texts.

    Raises:
        InputError: a word without ``=``, without a name or value, or a name given twice.
    """
    texts: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not (name and equals and text):
            raise InputError(f"'{shown(word)}' is not a {what}; write {what}=value, such as {example}")
        if name in texts:
            both = f"'{shown(texts[name])}' and '{shown(text)}'"
            raise InputError(f"{what} '{shown(name)}' is given twice ({both}); give it once")
        texts[name] = text
    return texts
