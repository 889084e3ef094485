"""Stack files: a system described in a few lines of data, layer by layer."""

from sim.system.stack.build import Stack, stack_system
from sim.system.stack.fields import Entry
from sim.system.stack.kinds import Filled
from sim.system.stack.passed_bytes import Passed, passed_bytes, shrunk
from sim.system.stack.remarks import constants, rates, unused

__all__ = [
    "Entry",
    "Filled",
    "Passed",
    "Stack",
    "constants",
    "passed_bytes",
    "rates",
    "shrunk",
    "stack_system",
    "unused",
]
