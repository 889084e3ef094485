"""Stack files: a system described in a few lines of data, layer by layer."""
