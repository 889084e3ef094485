"""A run: warm-up, stopping, replications, what is known at its end; and how it is recorded."""
