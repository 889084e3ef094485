"""A disk array: controllers with a cache, prefetch and write-back, before disks."""
