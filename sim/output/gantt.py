"""One I/O's way through the stack as a picture: a lane for each place, time from left to right."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sim.engines.trace import MOST, Journey, Stay
from sim.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NOWHERE = "delay"

_TITLE_WIDTH = 100
"""Characters of a line of the title that fit into the picture."""

_SERVED, _WAITING = "#1f77b4", "#ffb366"


def typical(walks: Sequence[Journey]) -> Journey:
    """The ended walk whose length is the median; of those, the first.

    Raises:
        InputError: none has ended.
    """
    ended = sorted((_ns(walk), number) for number, walk in enumerate(walks) if walk.end_ns is not None)
    if not ended:
        raise InputError(
            f"a walk here is a job of more than {MOST} stays, too many to draw; give --output instead"
        )
    return walks[ended[(len(ended) - 1) // 2][1]]


def way(walk: Journey, title: str) -> Figure:
    """Draw an ended ``walk`` with the branches that it sent."""
    stays = [stay for journey in _all(walk) for stay in journey.stays if stay.doing != "join"]
    lanes = list(dict.fromkeys(stay.place or NOWHERE for stay in sorted(stays, key=_begin)))
    from matplotlib.figure import Figure  # lazily: most commands draw nothing
    from matplotlib.patches import Patch  # lazily: with it

    figure = Figure(figsize=(9, 1.3 + 0.36 * len(lanes)), layout="constrained")
    axes = figure.add_subplot()
    scale, unit = (1e6, "ms") if _ns(walk) >= 1e6 else (1e3, "µs")  # noqa: PLR2004  (a millisecond)
    for stay in stays:
        _bar(axes, lanes.index(stay.place or NOWHERE), stay, walk.begin_ns, scale)
    axes.set_yticks(range(len(lanes)), lanes)
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel(f"{unit} since it began")
    figure.suptitle(_wrapped(f"{title}: {_ns(walk) / scale:.4g} {unit}"), fontsize=11)
    axes.grid(axis="x", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(
        handles=[Patch(color=_SERVED, label="served"), Patch(color=_WAITING, hatch="///", label="waiting")],
        frameon=False,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
    )
    return figure


def _wrapped(title: str) -> str:
    return "\n".join(textwrap.fill(line, _TITLE_WIDTH) for line in title.splitlines())


def _bar(axes: Axes, lane: int, stay: Stay, origin_ns: int, scale: float) -> None:
    waiting = stay.doing == "wait"
    axes.barh(
        lane,
        stay.ns / scale,
        left=(stay.begin_ns - origin_ns) / scale,
        height=0.6,
        color=_WAITING if waiting else _SERVED,
        hatch="///" if waiting else None,
        edgecolor="white",
        linewidth=0.4,
    )


def _all(journey: Journey) -> Iterator[Journey]:
    yield journey
    for branch in journey.branches:
        yield from _all(branch)


def _begin(stay: Stay) -> int:
    return stay.begin_ns


def _ns(walk: Journey) -> int:
    return walk.until_ns - walk.begin_ns
