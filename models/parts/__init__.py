"""Physical things that stacks are made of, each once: one class, its theory in the docstring of its module."""
