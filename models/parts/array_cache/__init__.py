"""A cache of a disk array: controllers with memory, prefetch and write-back, before whatever holds the data."""
