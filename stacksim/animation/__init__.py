"""An animation of requests on their way through a stack: one self-contained HTML page."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from sim.engine.files import write_atomically
from sim.engine.simulation.window import window
from sim.prediction.prediction import Prediction
from stacksim.animation.film import Film, film_of

FORMATS = (".html",)

REQUESTS = 200
"""Default number of requests of the watched workloads in an animation."""

_SCRIPTS = ("scene.js", "stage.js", "controls.js")

_LEGEND = (
    ("square", "waits"),
    ("disc", "is served"),
    ("disc hollow", "time passes"),
    ("square hollow", "gathered, waits for its batch"),
    ("ring", "waits for its branches, or for work"),
)


def filmed(prediction: Prediction, requests: int = REQUESTS) -> Film:
    """Run the model of ``prediction`` again, and record about ``requests`` requests in its steady state."""
    model = prediction.case.scenario.model
    heading = {"system": prediction.system, **prediction.shown}
    return film_of(window(model, prediction.result, requests), model, heading, requests)


def page(shown: Film) -> str:
    """Self-contained page that shows ``shown``."""
    environment = Environment(
        loader=PackageLoader("stacksim.animation", "."), autoescape=True, undefined=StrictUndefined
    )
    numbers = files("sim.output.pictures").joinpath("number.js").read_text("utf-8").replace("export ", "")
    style, script = _text("style.css"), "\n".join((numbers, *map(_text, _SCRIPTS)))
    return environment.get_template("page.html").render(
        policy=f"default-src 'none'; style-src {_hashed(style)}; script-src {_hashed(script)}",
        system=shown.heading["system"],
        settings=_settings(shown.heading),
        style=style,
        script=script,
        film=_json(shown),
        legend=_LEGEND,
        notes=shown.notes,
        version=version("stacksim"),
    )


def write(shown: Film, path: Path) -> None:
    """Write the page atomically."""
    write_atomically(path, page(shown).encode())


def _text(name: str) -> str:
    return files("stacksim.animation").joinpath(name).read_text("utf-8")


def _hashed(text: str) -> str:
    """SHA-256 source expression of an inline script or style, for the Content-Security-Policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _settings(heading: Mapping[str, str]) -> str:
    return "  ".join(f"{name}={text}" for name, text in heading.items() if name != "system")


def _json(shown: Film) -> str:
    """JSON of ``shown`` without ``<``, with which a name could end the script."""
    return json.dumps(shown.record(), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
