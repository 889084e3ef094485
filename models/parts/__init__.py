"""Physical parts of stacks: one class for each, with its theory in the docstring of its module."""
