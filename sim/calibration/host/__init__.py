"""This machine as the host of a stack: wake-ups, copies, memory, and the line of a lock."""
