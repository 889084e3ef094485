"""System ``zfs-ufs``: a database on ZFS or UFS; and alternative structures of it."""

from models.systems.zfs_ufs.system import ZFS_UFS, ZFS_UFS_LOOP, ZFS_UFS_SKEWED

__all__ = ["ZFS_UFS", "ZFS_UFS_LOOP", "ZFS_UFS_SKEWED"]
