"""Records that show themselves, in Jupyter and through rich, by views that they need not import."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from sim.engine.extensions import load, registered

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType

GROUP = "stacksim.views"
"""Entry-point group of views, each under the name of the class that it shows."""


class View(Protocol):
    """Presentation of a class of records."""

    def html(self, shown: Any) -> str:
        """HTML for part of a page."""

    def parts(self, shown: Any) -> Iterator[RenderableType]:
        """Parts for rich to print."""

    def text(self, shown: Any) -> str:
        """Plain text."""


class Shown:
    """A record that Jupyter and ``rich.print`` show by its view, or as Python would; and a table of it."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # IPython takes the first class that has either; a dataclass has a repr of its own.
        cls._repr_pretty_ = Shown._repr_pretty_  # type: ignore[method-assign]

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """Rows of the table of ``to_frame``."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """The record as a table: numbers in the units that a column names, or else in SI."""
        import pandas as pd  # lazily: a third of a second

        return pd.DataFrame(list(self.rows()))

    def __str__(self) -> str:
        view = view_of(type(self).__name__)
        return view.text(self) if view else repr(self)

    def _repr_html_(self) -> str | None:
        view = view_of(type(self).__name__)
        return view.html(self) if view else None

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: FBT001, ARG002  (as IPython calls it)
        view = view_of(type(self).__name__)
        printer.text(view.text(self) if view else repr(self))

    def __rich_console__(self, console: object, options: object) -> Iterator[RenderableType]:
        view = view_of(type(self).__name__)
        yield from view.parts(self) if view else [repr(self)]


@cache
def view_of(name: str) -> View | None:
    """The view of the class of that name; loaded at first use."""
    views = registered(GROUP)
    if not views:
        warnings.warn(
            "results show as plain Python: this installation has no views; install stacksim again", stacklevel=3
        )
    return load(views[name]) if name in views else None
