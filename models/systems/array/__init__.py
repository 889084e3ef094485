"""System ``array``: cache of a disk array."""

from models.systems.array.system import ARRAY

__all__ = ["ARRAY"]
