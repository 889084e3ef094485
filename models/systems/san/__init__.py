"""System ``san``: dd over Fibre Channel."""

from models.systems.san.system import SAN

__all__ = ["SAN"]
