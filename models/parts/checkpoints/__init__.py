"""Checkpoints of PostgreSQL: pages changed, their images in the log, and their way to the device."""
