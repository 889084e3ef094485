"""Links between machines: what they carry, one asker behind one of them, and messages between cards."""
