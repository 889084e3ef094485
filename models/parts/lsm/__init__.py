"""A log-structured merge tree: RocksDB."""
