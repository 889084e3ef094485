"""Hosts: page cache and read-ahead."""
