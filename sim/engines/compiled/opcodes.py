"""The op-codes: what the event loop knows. Each instruction is an op-code and three operands."""

from __future__ import annotations

INSTRUCTION_SIZE = 4

# Stations, pools and delays: what takes most of the time. REQUEST asks for a server, as in SimPy.
REQUEST, SERVE, DELAY, PAUSE, RELEASE, ACQUIRE, ACQUIRED, FREE = range(8)

# Control flow, and the begin and end of a request (TURN lets it begin, if the count allows it). What an access is
# (see ``cache_lists``) is added to LOOKUP.
JUMP, CHOOSE, LOOKUP = 8, 9, 10
TURN, BEGIN, FINISH, REPEAT, LOOP = range(14, 19)

# Buffers
PUT, PUT_DONE, TAKE, TAKE_DONE = range(19, 23)

# Rare ones, in a function of their own
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
