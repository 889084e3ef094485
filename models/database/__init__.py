"""Databases: the work of a server for its sessions."""
