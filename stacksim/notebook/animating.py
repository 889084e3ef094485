"""An animation inside a lesson."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from sim.prediction.prediction import Prediction, predict_case
from sim.system.case import Case
from stacksim.animation import REQUESTS, filmed, page
from stacksim.animation.film import Film
from stacksim.notebook.asking import options_of

HEIGHT = 640
"""Height in pixels; a longer page scrolls inside."""


@dataclass(frozen=True)
class Animated:
    """Requests on their way through a stack; Jupyter shows it as a page inside the lesson."""

    film: Film = field(repr=False)

    def _repr_html_(self) -> str:
        framed = f'srcdoc="{escape(page(self.film))}" style="width:100%;height:{HEIGHT}px;border:0"'
        return f'<iframe title="requests on their way through the stack" {framed}></iframe>'


def animate(shown: Prediction | Case, requests: int = REQUESTS) -> Animated:
    """Animation of about ``requests`` requests of a prediction's case, or of another case."""
    prediction = shown if isinstance(shown, Prediction) else predict_case(shown, options_of("auto"))
    return Animated(filmed(prediction, requests))
