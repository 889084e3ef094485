"""The reference engine: SimPy processes take the steps. It defines the meaning of the vocabulary."""

from sim.engine.events.reference.engine import ReferenceEngine

__all__ = ["ReferenceEngine"]
