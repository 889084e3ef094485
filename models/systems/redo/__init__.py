"""System ``redo``: commits to a redo log."""

from models.systems.redo.system import REDO

__all__ = ["REDO"]
