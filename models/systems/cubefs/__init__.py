"""System ``cubefs``: processes on FUSE clients of a file system whose data nodes keep several copies."""

from models.systems.cubefs.system import CUBEFS

__all__ = ["CUBEFS"]
