"""Workloads: dd, databases in phases, file utilities, recorded traces."""
