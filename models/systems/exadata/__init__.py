"""System ``exadata``: database servers on storage cells with memory, flash and disks, Exadata X3-2 to X11M."""

from models.systems.exadata.system import EXADATA

__all__ = ["EXADATA"]
