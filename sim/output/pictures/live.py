"""Charts redrawn into one figure, quickly enough to follow a slider."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.output.pictures import style
from sim.output.pictures.chart import Chart
from sim.output.pictures.static import draw, dress

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_WIDTH, _HEIGHT, _DPI = 4.8, 3.4, 90
"""Inches of a panel, and dots of an inch."""

_STEPS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)
"""Ends of a y axis, times a power of ten: few, so that it seldom moves."""


class Live:
    """A figure of some charts side by side, to which ``draw`` gives other data.

    Axes and their texts are drawn once, and again only when a y axis has to grow: they take most of the time. No
    y axis shrinks, so that changes are seen.
    """

    def __init__(self, charts: Sequence[Chart]) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # lazily: most commands draw nothing
        from matplotlib.figure import Figure  # lazily: as above

        self._figure = Figure(figsize=(_WIDTH * len(charts), _HEIGHT), dpi=_DPI)
        self._canvas = FigureCanvasAgg(self._figure)
        panels = self._figure.subplots(1, len(charts), squeeze=False)[0]
        self._figure.subplots_adjust(left=0.16 / len(charts), right=0.98, bottom=0.17, top=0.95, wspace=0.3)
        self._tops = [0.0] * len(charts)
        self._axes: list[Axes] = [_dressed(axes, chart) for axes, chart in zip(panels, charts, strict=True)]
        self._background: Any = None

    def draw(self, charts: Sequence[Chart]) -> bytes:
        """Draw ``charts``, which have the axes of the first ones; return the picture as PNG."""
        grown = [self._grown(number, chart) for number, chart in enumerate(charts)]
        if any(grown):
            self._canvas.draw()  # type: ignore[no-untyped-call]
            self._background = self._canvas.copy_from_bbox(self._figure.bbox)  # type: ignore[no-untyped-call]
        self._canvas.restore_region(self._background)  # type: ignore[no-untyped-call]
        for axes, chart in zip(self._axes, charts, strict=True):
            artists = _drawn(axes, chart)
            for artist in artists:
                axes.draw_artist(artist)
            for artist in artists:
                artist.remove()
        return self._png()

    def _grown(self, number: int, chart: Chart) -> bool:
        """Make room for the largest value of ``chart``; return True if its y axis moved."""
        largest = max(_values(chart), default=1.0)
        if 0.0 < largest <= self._tops[number]:
            return False
        self._tops[number] = _end(largest)
        self._axes[number].set_ylim(0.0, self._tops[number])
        return True

    def _png(self) -> bytes:
        from PIL import Image  # lazily: with Matplotlib, which needs it

        buffer = io.BytesIO()
        pixels = np.asarray(self._canvas.buffer_rgba())  # type: ignore[no-untyped-call]
        Image.fromarray(pixels).save(buffer, format="png", compress_level=1)
        return buffer.getvalue()


def _dressed(axes: Axes, chart: Chart) -> Axes:
    """Draw the parts of ``axes`` that do not move, with room along x for the places of ``chart``."""
    artists = _drawn(axes, chart)
    dress(axes, chart)
    axes.set_xlim(axes.get_xlim())
    for artist in artists:
        artist.remove()
    return axes


def _drawn(axes: Axes, chart: Chart) -> list[Artist]:
    """Draw ``chart`` with a legend; return the new artists, those in front last."""
    before = set(axes.get_children())
    draw(axes, chart)
    axes.legend(frameon=False, fontsize=style.SMALL, loc="best")
    return sorted(
        (artist for artist in axes.get_children() if artist not in before), key=lambda artist: artist.get_zorder()
    )


def _values(chart: Chart) -> Iterator[float]:
    for curve in chart.curves:
        yield from (value for value in (*curve.y, *curve.high) if math.isfinite(value))
    for points in chart.published:
        yield from points.y


def _end(largest: float) -> float:
    """The first end of ``_STEPS`` above ``largest``."""
    if not largest > 0.0:
        return 1.0
    decade = 10.0 ** math.floor(math.log10(largest))
    return next(step * decade for step in _STEPS if step * decade >= largest)
