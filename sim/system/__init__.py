"""Description of a system: settings, parameters, and the model that is built from them."""

from sim.system.failures import Failure
from sim.system.installed import find, systems
from sim.system.parameters import Basis, Parameter, Parameters, parameter
from sim.system.sample import Sample
from sim.system.scenario import Answer, Measure, Scenario
from sim.system.settings import Setting, Settings, Values, choice, count, file, flag, number, size
from sim.system.system import Ceiling, System

__all__ = [
    "Answer",
    "Basis",
    "Ceiling",
    "Failure",
    "Measure",
    "Parameter",
    "Parameters",
    "Sample",
    "Scenario",
    "Setting",
    "Settings",
    "System",
    "Values",
    "choice",
    "count",
    "file",
    "find",
    "flag",
    "number",
    "parameter",
    "size",
    "systems",
]
