"""System ``block-store``: clients of a block store with copies on the drives of several machines."""

from models.systems.block_store.system import BLOCK_STORE

__all__ = ["BLOCK_STORE"]
