"""What a host does: cores and their turns, threads that sleep, calls, queues of devices."""
