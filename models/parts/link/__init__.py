"""Links between machines: bandwidths, one client behind one of them, and messages between cards."""
