"""InnoDB: its buffer pool, its dirty pages and its redo log."""
