"""The model that is simulated: places, steps and workloads."""

from sim.model.model import Model

__all__ = ["Model"]
