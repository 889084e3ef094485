"""Stack files: a system described in a few lines of data, layer by layer.

Each file is imported by its own name: kinds need ``kinds`` alone, and are there before any stack file is read.
"""
