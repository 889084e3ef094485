"""Files: who may read and write one at once."""
