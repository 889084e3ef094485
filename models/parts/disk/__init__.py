"""A disk: times of arm and platter, the drive around them, and the kind of a stack file."""

from models.parts.disk.disk import Disk

__all__ = ["Disk"]
