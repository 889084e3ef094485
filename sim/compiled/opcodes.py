"""The op-codes: what the event loop knows. Each instruction is an op-code and three operands."""

from __future__ import annotations

INSTRUCTION_SIZE = 4

# Stations, pools and delays: what most time goes into
REQUEST, SERVE, RELEASE, PAUSE, DELAY, ACQUIRE, ACQUIRED, FREE = range(8)

# Buffers, and the order of the instructions
PUT, PUT_DONE, TAKE, TAKE_DONE, REPEAT, LOOP, JUMP, CHOOSE, TURN, BEGIN, FINISH = range(8, 19)

# Rare ones, in a function apart
LOCK, LOCKED, UNLOCK, FORK, BRANCH_END, BACKGROUND_BEGIN, BACKGROUND_END = range(19, 26)
AWAIT, GATHER, WAKE, IF_ANY, LOOKUP, ARRIVE, SPAWN, DIE = range(26, 34)

NAMES = (
    *("request", "serve", "release", "pause", "delay", "acquire", "acquired", "free"),
    *("put", "put-done", "take", "take-done", "repeat", "loop", "jump", "choose", "turn", "begin", "finish"),
    *("lock", "locked", "unlock", "fork", "branch-end", "background-begin", "background-end"),
    *("await", "gather", "wake", "if-any", "lookup", "arrive", "spawn", "die"),
)
"""By op-code, for listings."""
