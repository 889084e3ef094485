"""System ``file-sync``: jobs that write one file and make each write durable."""

from models.systems.file_sync.system import FILE_SYNC

__all__ = ["FILE_SYNC"]
