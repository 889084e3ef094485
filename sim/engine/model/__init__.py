"""The simulated model: places, steps and workloads."""

from sim.engine.model.model import Model

__all__ = ["Model"]
