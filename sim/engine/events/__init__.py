"""The event engines: the reference on SimPy and the compiled event loop, with equal completion times."""
