"""Systems ``dbfs``, ``dbfs-files`` and ``dbfs-load``: files in a database on Exadata."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from models.systems.dbfs.dd import DBFS, DBFS_CELLS, DBFS_FREE
    from models.systems.dbfs.files import DBFS_FILES
    from models.systems.dbfs.load import DBFS_LOAD

__all__ = ["DBFS", "DBFS_CELLS", "DBFS_FILES", "DBFS_FREE", "DBFS_LOAD"]

_PLACES = {"DBFS": "dd", "DBFS_CELLS": "dd", "DBFS_FREE": "dd", "DBFS_FILES": "files", "DBFS_LOAD": "load"}


def __getattr__(name: str) -> Any:
    """Import only the module of the requested system: the others would take as long again."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
