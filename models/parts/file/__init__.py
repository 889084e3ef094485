"""Files: their locks for simultaneous reads and writes."""
