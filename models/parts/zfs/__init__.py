"""ZFS: records, its cache, transaction groups and the intent log."""
