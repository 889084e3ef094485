"""System ``nvme``: processes that read from NVMe devices."""

from models.systems.nvme.system import NVME

__all__ = ["NVME"]
