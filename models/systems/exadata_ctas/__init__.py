"""System ``exadata-ctas``: a table created from a scan on Exadata V1; and ``exadata-ctas-disks``."""

from models.systems.exadata_ctas.system import EXADATA_CTAS, EXADATA_CTAS_DISKS

__all__ = ["EXADATA_CTAS", "EXADATA_CTAS_DISKS"]
