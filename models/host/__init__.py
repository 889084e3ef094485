"""Hosts: processors, page cache, read-ahead, pipes."""
