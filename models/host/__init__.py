"""What the host of an I/O does: processors, page cache, read-ahead, pipes."""
