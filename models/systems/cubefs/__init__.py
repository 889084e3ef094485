"""System ``cubefs``: processes on FUSE clients of a file system with replicated data nodes."""

from models.systems.cubefs.system import CUBEFS

__all__ = ["CUBEFS"]
