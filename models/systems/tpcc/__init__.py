"""System ``tpcc``: TPC-C on MySQL, by buffer pool, drive, provisioned volume and binary log."""

from models.systems.tpcc.system import TPCC

__all__ = ["TPCC"]
