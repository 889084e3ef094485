"""A page to play with: choose a system, move what it is made of, see what it does; on this machine alone."""
