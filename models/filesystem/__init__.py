"""File systems: journals, names, UFS and ZFS."""
