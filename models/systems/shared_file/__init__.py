"""System ``shared-file``: writers of one file."""

from models.systems.shared_file.system import SHARED_FILE

__all__ = ["SHARED_FILE"]
