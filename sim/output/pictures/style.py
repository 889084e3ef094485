"""Style of all pictures: colours, sizes, frames, legends, text; and their files."""

from __future__ import annotations

import io
import textwrap
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.engine.errors import printable
from sim.engine.files import check_target, write_atomically
from sim.engine.units.text import number_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg")

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
"""Colours for all kinds of colour vision: Okabe and Ito, "Color Universal Design", 2008; the faintest is last."""

BLUE, VERMILION, GREEN, PINK, ORANGE, SKY, BLACK, YELLOW = PALETTE

WAITING, SERVED, DELAYED = VERMILION, BLUE, "0.45"
"""Colours of a request's activities, in every picture; waiting is hatched, too."""

GREY, FAINT = "0.45", "0.8"
"""Colours of marks beside the answers, such as a long run or a limit; and of omitted things."""

BAND = 0.2
"""Opacity of the band of an interval."""

FILL = 0.12
"""Opacity of a box around text."""

WIDTH, HEIGHT, PANEL, ROW = 8.0, 5.0, 3.6, 0.36
"""Inches: width and height of a picture, height of one of several panels, and of a horizontal bar."""

CHARACTER, LINE = 0.085, 0.24
"""Inches of a character of a legend or title, and of a line of a legend."""

TITLE, SMALL = 11, 8
"""Points of a title, and of a name beside a mark."""

OUTSIDE: Mapping[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "frameon": False}
"""Place of a legend that covers nothing: right of its panel."""


UNBROKEN = "\u00a0"
"""Non-breaking space."""


_OF_TICK = 10
"""Digits of a number along an axis: more than a round number needs."""


def blank(width: float = WIDTH, height: float = HEIGHT) -> Figure:
    """An empty picture of ``width`` × ``height`` inches."""
    from matplotlib.figure import Figure  # lazily: most commands draw nothing

    return Figure(figsize=(width, height), layout="constrained")


def dress(axes: Axes) -> None:
    """Draw a faint grid behind everything, no frame but the two axes, and plain numbers."""
    from matplotlib.ticker import ScalarFormatter  # lazily: most commands draw nothing

    for axis in (axes.xaxis, axes.yaxis):
        if isinstance(axis.get_major_formatter(), ScalarFormatter):
            plain_numbers(axis)
    axes.set_axisbelow(True)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def plain_numbers(axis: Axis) -> None:
    """Write the numbers along ``axis`` as everywhere else, with as many digits as they need."""
    axis.set_major_formatter(lambda value, _: number_text(value, _OF_TICK))


def title(figure: Figure, text: str) -> None:
    """Write ``text`` above ``figure``, wrapped to its width."""
    length = int(figure.get_size_inches()[0] / CHARACTER)
    lines = (textwrap.fill(plain(each), length) for each in text.splitlines())
    figure.suptitle("\n".join(lines), fontsize=TITLE)


def plain(text: str) -> str:
    """Escape dollar signs in ``text``, between which Matplotlib reads formulas."""
    return UNBROKEN.join(map(printable, text.split(UNBROKEN))).replace("$", r"\$")


def save(figure: Figure, path: Path) -> None:
    """Write ``figure`` to ``path`` atomically; the suffix names the format, PNG without one."""
    check_target("picture", path, FORMATS, or_standard_output=True)
    write_atomically(path, content(figure, path.suffix[1:].lower() or "png"))


def embedded(figure: Figure) -> str:
    """``figure`` as the source of an image in a page."""
    return "data:image/svg+xml;base64," + b64encode(content(figure, "svg")).decode()


def content(figure: Figure, kind: str) -> bytes:
    """Content of a file of ``figure``, the same each time; ``kind`` is ``png`` or ``svg``."""
    from matplotlib import rc_context  # lazily: most commands draw nothing

    buffer = io.BytesIO()
    with rc_context({"svg.hashsalt": "stacksim"}):  # names in an SVG are random otherwise
        figure.savefig(buffer, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)
    return buffer.getvalue()
