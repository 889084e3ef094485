"""File systems: locks, names, FUSE, UFS and ZFS."""
