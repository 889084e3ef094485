"""Claims: whether what somebody says of a storage stack can be so, and if not, what they may have measured."""
