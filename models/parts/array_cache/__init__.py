"""A cache of a disk array: controllers with memory, prefetch and write-back, above the layers with the data."""
