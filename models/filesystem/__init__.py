"""File systems: locks, names, FUSE, and ZFS."""
