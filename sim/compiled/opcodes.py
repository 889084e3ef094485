"""The op-codes: what the event loop knows. Each instruction is an op-code and three operands."""

from __future__ import annotations

INSTRUCTION_SIZE = 4

# Stations, pools and delays: what most time goes into
REQUEST, SERVE, DELAY, PAUSE, RELEASE, ACQUIRE, ACQUIRED, FREE = range(8)

# The order of the instructions, and walks
JUMP, CHOOSE, LOOKUP, TURN, BEGIN, FINISH, REPEAT, LOOP = range(8, 16)

# Buffers
PUT, PUT_DONE, TAKE, TAKE_DONE = range(16, 20)

# Rare ones, in a function apart
LOCK, LOCKED, UNLOCK, FORK, BRANCH_END, BACKGROUND_BEGIN, BACKGROUND_END = range(20, 27)
AWAIT, GATHER, WAKE, IF_ANY, ARRIVE, SPAWN, DIE = range(27, 34)

NAMES = (
    *("request", "serve", "delay", "pause", "release", "acquire", "acquired", "free"),
    *("jump", "choose", "lookup", "turn", "begin", "finish", "repeat", "loop"),
    *("put", "put-done", "take", "take-done"),
    *("lock", "locked", "unlock", "fork", "branch-end", "background-begin", "background-end"),
    *("await", "gather", "wake", "if-any", "arrive", "spawn", "die"),
)
"""By op-code, for listings."""
