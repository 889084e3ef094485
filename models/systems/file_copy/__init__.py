"""System ``file-copy``: copying files."""

from models.systems.file_copy.system import FILE_COPY

__all__ = ["FILE_COPY"]
