"""Databases: what a server does for its sessions."""
