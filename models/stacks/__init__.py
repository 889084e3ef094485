"""Stacks that come with stacksim, as stack files: each is a system with the file's name."""

from __future__ import annotations

from pathlib import Path

from sim.system import System
from sim.system.stack.build import stack_system

FOLDER = Path(__file__).parent


def __getattr__(name: str) -> System:
    """The stack of the file with this name, in capitals: ``NVME_XFS`` is ``nvme-xfs.toml``."""
    path = FOLDER / f"{name.lower().replace('_', '-')}.toml"
    if not path.is_file():
        raise AttributeError(name)
    return stack_system(path)
