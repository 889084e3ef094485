"""System ``redo``: commits to a redo log; and ``redo-poster``, another structure of it."""

from models.systems.redo.system import REDO, REDO_POSTER

__all__ = ["REDO", "REDO_POSTER"]
