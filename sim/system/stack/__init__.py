"""Stack files: a system described in a few lines of data, layer by layer."""

from sim.system.stack.build import Stack, stack_system
from sim.system.stack.fields import Entry

__all__ = ["Entry", "Stack", "stack_system"]
