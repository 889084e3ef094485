"""A FUSE mount: requests, the daemon, and the kernel's state of a file."""
