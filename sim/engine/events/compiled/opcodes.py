"""The op-codes of the event loop. Each instruction is an op-code and two operands (``instructions``)."""

from __future__ import annotations

# Stations, pools and delays, which take most of the time. REQUEST asks for a server, as in SimPy.
REQUEST, SERVE, DELAY, PAUSE, RELEASE, ACQUIRE, ACQUIRED, FREE = range(8)

# Control flow, and the begin and end of a request (TURN lets it begin, if the count allows it). Access properties
# (see ``cache_lists``) are added to LOOKUP; behind it, and behind IF_ANY, is the jump for a miss, or for none,
# otherwise skipped. RETURN goes back to the instruction behind a CHOOSE with shared options.
JUMP, CHOOSE, LOOKUP = 8, 9, 10
TURN, BEGIN, FINISH, REPEAT, LOOP, RETURN = range(14, 20)

# Buffers
PUT, PUT_DONE, TAKE, TAKE_DONE = range(20, 24)

# Rare ones, in a function of their own
LOCK, LOCKED, UNLOCK, FORK, BRANCH_END, BACKGROUND_BEGIN, BACKGROUND_END = range(24, 31)
AWAIT, GATHER, WAKE, IF_ANY, START, STOP, ARRIVE, SPAWN, DIE = range(31, 40)

BY_SAMPLER, BY_TABLE, BY_STREAM = range(3)
"""Source of the gaps of an ARRIVE, its second operand; the first is the address of the source."""

NAMES = (
    *("request", "serve", "delay", "pause", "release", "acquire", "acquired", "free"),
    *("jump", "choose", "lookup", "lookup-run", "lookup-write", "lookup-write-run"),
    *("turn", "begin", "finish", "repeat", "loop", "return"),
    *("put", "put-done", "take", "take-done"),
    *("lock", "locked", "unlock", "fork", "branch-end", "background-begin", "background-end"),
    *("await", "gather", "wake", "if-any", "start", "stop", "arrive", "spawn", "die"),
)
"""Names by op-code, for listings."""
