"""The op-codes: what the event loop knows. Each instruction is an op-code and three operands."""

from __future__ import annotations

INSTRUCTION_SIZE = 4

# Stations, pools and delays: what most time goes into
REQUEST, SERVE, DELAY, PAUSE, RELEASE, ACQUIRE, ACQUIRED, FREE = range(8)

# The order of the instructions, and walks. The access that a look-up is (see caches) is added to its op-code.
JUMP, CHOOSE, LOOKUP = 8, 9, 10
TURN, BEGIN, FINISH, REPEAT, LOOP = range(14, 19)

# Buffers
PUT, PUT_DONE, TAKE, TAKE_DONE = range(19, 23)

# Rare ones, in a function apart
LOCK, LOCKED, UNLOCK, FORK, BRANCH_END, BACKGROUND_BEGIN, BACKGROUND_END = range(23, 30)
AWAIT, GATHER, WAKE, IF_ANY, START, STOP, ARRIVE, SPAWN, DIE = range(30, 39)

NAMES = (
    *("request", "serve", "delay", "pause", "release", "acquire", "acquired", "free"),
    *("jump", "choose", "lookup", "lookup-run", "lookup-write", "lookup-write-run"),
    *("turn", "begin", "finish", "repeat", "loop"),
    *("put", "put-done", "take", "take-done"),
    *("lock", "locked", "unlock", "fork", "branch-end", "background-begin", "background-end"),
    *("await", "gather", "wake", "if-any", "start", "stop", "arrive", "spawn", "die"),
)
"""By op-code, for listings."""
