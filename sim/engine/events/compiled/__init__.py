"""The compiled engine: a model becomes a small program, and one loop compiled by Numba runs it."""

from sim.engine.events.compiled.engine import CompiledEngine

__all__ = ["CompiledEngine"]
