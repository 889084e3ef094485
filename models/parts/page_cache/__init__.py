"""Memory between callers and storage: pages that are read ahead, kept, copied and written behind."""
