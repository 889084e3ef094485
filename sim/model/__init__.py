"""The simulated model: places, steps and workloads."""

from sim.model.model import Model

__all__ = ["Model"]
