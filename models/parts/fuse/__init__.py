"""A FUSE mount: requests, the daemon, and what the kernel keeps of a file."""
