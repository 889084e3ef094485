"""Describing a system: settings, parameters, and the model that they make."""

from sim.system.parameters import Basis, Parameter, Parameters
from sim.system.settings import Choice, Count, File, Flag, Number, Setting, Size, Values
from sim.system.system import Ceiling, Measure, Scenario

__all__ = [
    "Basis",
    "Ceiling",
    "Choice",
    "Count",
    "File",
    "Flag",
    "Measure",
    "Number",
    "Parameter",
    "Parameters",
    "Scenario",
    "Setting",
    "Size",
    "Values",
]
