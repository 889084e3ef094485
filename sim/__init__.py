"""The vocabulary of the engine, as ``sim.engine`` has it: ``from sim import Closed, Model, Station``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.engine import *  # noqa: F403  (the vocabulary: its own face lists it)
else:

    def __getattr__(name: str) -> object:
        return getattr(import_module("sim.engine"), name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *import_module("sim.engine").__all__})
