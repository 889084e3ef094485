"""Who asks: dd, databases in phases, utilities, recorded traces."""
