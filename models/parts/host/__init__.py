"""Parts of a host: cores and their scheduling, sleeping threads, calls, queues of devices."""
