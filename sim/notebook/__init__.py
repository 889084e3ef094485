"""What a lesson asks for: predictions, sweeps, comparisons, published figures; each shows itself in Jupyter."""

from sim.notebook.asking import compare, explain, precision, predict, sweep
from sim.notebook.citing import Figure, published
from sim.notebook.guessing import Guess

__all__ = ["Figure", "Guess", "compare", "explain", "precision", "predict", "published", "sweep"]
