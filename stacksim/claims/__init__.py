"""Claims: check whether a statement about a storage stack can be true, and if not, what was measured instead."""
