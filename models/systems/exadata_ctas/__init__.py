"""System ``exadata-ctas``: a table created from a scan on Exadata V1."""

from models.systems.exadata_ctas.system import EXADATA_CTAS

__all__ = ["EXADATA_CTAS"]
