"""An interactive page on this machine: choose a system, move its settings, see its answers."""
