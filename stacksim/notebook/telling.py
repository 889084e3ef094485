"""Sentences with computed numbers in them."""

from __future__ import annotations

_MANY = 100
"""Ratio from which whole numbers are shown."""


def say(*sentences: str) -> None:
    """Show a paragraph of Markdown below the cell."""
    from IPython.display import Markdown, display  # lazily: only Jupyter needs it

    display(Markdown(" ".join(sentences)))  # type: ignore[no-untyped-call]


def times(more: float, fewer: float) -> str:
    """Ratio of ``more`` to ``fewer`` in words: ``1.7 times``."""
    ratio = more / fewer
    return f"{ratio:,.0f} times" if ratio >= _MANY else f"{ratio:.2g} times"
