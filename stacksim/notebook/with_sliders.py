"""Sliders beside curves, by ipywidgets; without it, a picture alone."""

from __future__ import annotations

import asyncio
import base64
import html
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sim.engine.errors import InputError
from sim.output.pictures.chart import Chart
from sim.output.pictures.live import Live
from sim.system.installed import resolved
from sim.system.settings import Count, Number, Size
from sim.system.system import System
from stacksim.notebook.knobs import Knob, knobs_of, ladder, setting_of
from stacksim.notebook.moving import COMPUTED, Moving
from stacksim.notebook.question import Question

if TYPE_CHECKING:
    from IPython.display import DisplayHandle

HOW = "To move it, open this page in JupyterLab with pip install 'stacksim[notebooks]'."
"""Note for readers without widgets."""

_REST_S = 0.4
"""Seconds without movement after which a slider counts as released."""

_POINTS = 7
"""Number of points of a curve without a given list of x values."""


def sliders(
    system: System | str,
    over: str = "users",
    measures: Sequence[str] = ("throughput", "mean"),
    parameters: Sequence[str] = (),
    **settings: Any,
) -> Sliders:
    """Answers over a setting, with a slider or a menu for each of ``settings`` and ``parameters``.

    Curves are computed by the analytic engine while a slider moves, and simulated once it rests; where that engine
    refuses, all is simulated beforehand, and then the values have to be few.

    Args:
        over: the setting along the x axis; among ``settings`` with a list, these are its values.
        parameters: names of parameters, which are moved over their ranges.
        settings: initial value of a slider, or a list of all its values, beginning with the initial one.

    Raises:
        InputError: no such setting, parameter, value or answer; ``over`` is no number; too much to simulate
            beforehand.
    """
    system = resolved(system)
    setting = setting_of(system, over)
    if not measures:
        raise InputError("no answers to draw; name one at least, such as 'throughput'")
    if not isinstance(setting, Count | Size | Number):
        raise InputError(f"'{over}' is no number, and cannot lie along an axis; draw curves over another setting")
    given = settings.pop(over, None) or _some(ladder(setting, setting.parse(setting.default)))
    x = [setting.parse(each) for each in given]
    return Sliders(Moving(Question(system, setting, x, measures, knobs_of(system, settings, parameters))))


def _some(values: Sequence[Any]) -> list[Any]:
    """A few of ``values``, evenly spaced from the first to the last."""
    step = -(-len(values) // _POINTS)
    return [*values[::-step]][::-1]


class Sliders:
    """Display of ``sliders``.

    Attributes:
        moving: the curves, and positions of the knobs.
        controls: the widget of each setting and parameter, by name; empty without ipywidgets.
        box: all of them together; None without ipywidgets.
        resting: task that simulates once all sliders rest; None before the first movement.
    """

    def __init__(self, moving: Moving) -> None:
        self.moving = moving
        self._live = Live(moving.charts)
        self._picture = self._live.draw(moving.charts)
        self._output: DisplayHandle | None = None
        self._moves = 0
        self.resting: asyncio.Task[None] | None = None
        self.controls: dict[str, Any] = {}
        self.box = self._with_widgets()

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Drawn charts, one for each measure."""
        return self.moving.charts

    @property
    def chart(self) -> Chart:
        """The first chart."""
        return self.charts[0]

    @property
    def note(self) -> str:
        """Note below the curves: a refusal, or else the kind of the curves."""
        if self.moving.note:
            return self.moving.note
        if self.moving.grid:
            return "All was simulated beforehand: the analytic engine refuses this system."
        return "" if len(self.chart.curves) > 1 else f"{COMPUTED.capitalize()}; simulated once you let go."

    def move(self, **values: Any) -> None:
        """Move sliders to ``values`` and release them."""
        self.drag(**values)
        for name in values:
            if name in self.controls:
                self.controls[name].value = self.moving.position[name]
        self.moving.settle()
        self._draw()

    def drag(self, **values: Any) -> None:
        """Move sliders to ``values`` and hold them."""
        self._moves += 1
        self.moving.move(**values)
        self._draw()

    async def _rest(self, moves: int) -> None:
        """Simulate after a pause, a prediction at a time, and stop when a slider moves."""
        await asyncio.sleep(_REST_S)
        for _ in self.moving.settling():
            await asyncio.sleep(0)
            if moves != self._moves:
                return
        self._draw()

    def _draw(self) -> None:
        self._picture = self._live.draw(self.charts)
        if self._output:
            self._output.update(self._bundle(), raw=True)  # type: ignore[no-untyped-call]

    def _with_widgets(self) -> Any:
        """The box of all widgets; None without ipywidgets."""
        try:
            ipywidgets = import_module("ipywidgets")  # lazily: only Jupyter needs it, and it may be missing
        except ImportError:
            return None
        self.controls = {knob.name: self._control(ipywidgets, knob) for knob in self.moving.question.knobs}
        return ipywidgets.VBox([*self.controls.values()])

    def _control(self, ipywidgets: Any, knob: Knob) -> Any:
        kind = ipywidgets.SelectionSlider if knob.ordered else ipywidgets.Dropdown
        control = kind(
            options=[*zip(knob.texts, knob.values, strict=True)],
            value=knob.values[knob.start],
            description=knob.name,
            tooltip=knob.help,
            style={"description_width": "8em"},
            layout={"width": "30em", "max_width": "100%"},
        )
        control.observe(lambda change: self._moved(knob.name, change["new"]), names="value")
        return control

    def _moved(self, name: str, value: Any) -> None:
        self.drag(**{name: value})
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no event loop here: ``move`` simulates at once
            return
        self.resting = loop.create_task(self._rest(self._moves))

    def _ipython_display_(self) -> None:
        """Show widgets, and below them the picture as a separate output, also for those who only read the page."""
        from IPython.display import display  # lazily: only Jupyter needs it

        if self.box:
            display(self.box)  # type: ignore[no-untyped-call]
        self._output = display(self._bundle(), raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def _bundle(self) -> dict[str, str]:
        """The present curves, positions and notes, by MIME type."""
        image, title = base64.b64encode(self._picture).decode(), self.chart.title
        caption = " ".join(filter(None, (f"{title}.", self.note, "" if self.box else HOW)))
        shown = f'<img alt="{html.escape(title)}" src="data:image/png;base64,{image}" style="max-width:100%">'
        return {"text/plain": caption, "text/html": f"{shown}<p>{html.escape(caption)}</p>", "image/png": image}
