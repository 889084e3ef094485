"""System ``zfs-ufs``: a database on ZFS or UFS."""

from models.systems.zfs_ufs.system import ZFS_UFS

__all__ = ["ZFS_UFS"]
