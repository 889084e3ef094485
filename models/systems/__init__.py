"""Published systems, one folder each: the only code that wires layers together."""
