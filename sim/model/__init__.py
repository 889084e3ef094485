"""What is simulated: places, steps, workloads, and the model that they make."""

from sim.model.model import Model

__all__ = ["Model"]
