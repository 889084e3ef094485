"""Systems ``dbfs``, ``dbfs-files`` and ``dbfs-load``: files in a database on Exadata."""

from models.systems.dbfs.dd import DBFS
from models.systems.dbfs.files import DBFS_FILES
from models.systems.dbfs.load import DBFS_LOAD

__all__ = ["DBFS", "DBFS_FILES", "DBFS_LOAD"]
