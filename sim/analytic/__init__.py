"""The analytic engine: from the same paths, an answer in milliseconds; approximate, and it says by what method."""

from sim.analytic.analysis import Analysis, GroupAnalysis, PlaceAnalysis
from sim.analytic.solve import solve

__all__ = ["Analysis", "GroupAnalysis", "PlaceAnalysis", "solve"]
