"""Sentences with computed numbers in them."""

from __future__ import annotations

_MANY = 100
"""From here on a ratio is said in whole numbers."""


def say(*sentences: str) -> None:
    """Show a paragraph of Markdown below the cell."""
    from IPython.display import Markdown, display  # lazily: only Jupyter needs it

    display(Markdown(" ".join(sentences)))  # type: ignore[no-untyped-call]


def times(more: float, fewer: float) -> str:
    """How many times ``fewer`` is in ``more``, in words: ``1.7 times``."""
    ratio = more / fewer
    return f"{ratio:,.0f} times" if ratio >= _MANY else f"{ratio:.2g} times"
