"""Stack files: a system described in a few lines of data, layer by layer."""

from sim.system.stack.build import Stack, names_of, stack_system
from sim.system.stack.fields import Entry
from sim.system.stack.kinds import Filled
from sim.system.stack.passed_bytes import Passed, passed_bytes, shrunk
from sim.system.stack.remarks import byte_rates, constants, rates, unused, without_unit

__all__ = [
    "Entry",
    "Filled",
    "Passed",
    "Stack",
    "byte_rates",
    "constants",
    "names_of",
    "passed_bytes",
    "rates",
    "shrunk",
    "stack_system",
    "unused",
    "without_unit",
]
