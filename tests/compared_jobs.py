"""A stack with the jobs that it was fitted to and compared with, of which a test says what was measured."""

from __future__ import annotations

import math
import random
import tempfile
from dataclasses import replace
from pathlib import Path

from sim.system.parameters import Compared
from sim.system.stack.build import stack_system

STACK = """
title = "t"

[settings]
users = { default = 1, range = [1, 1024] }
block = { default = "4KiB" }
op = { default = "read", options = ["read", "write"] }

[parameters]
way = { value = "40us", bounds = ["1us", "20ms"], range = ["30us", "50us"], source = "t" }

[load]
clients = "users"
block = "block"
op = "op"
THINK
[[place]]
kind = "station"
name = "arm"

[[layer]]
kind = "steps"
name = "device"
steps = [{ delay = "way" }, { use = "arm", time = "10us" }]
"""
USERS, BLOCKS, UNSEEN = (1, 2, 3, 4, 6, 8), (4, 16), (3, 6)


def told(_op, block, users):
    """Prediction of the stack, in MB/s."""
    return block * 1.024e-3 * min(users / 50e-6, 1 / 10e-6)


def system(truth, *, think="", percentiles=()):
    """The stack with jobs of which ``truth`` (of op, block, users) is what was measured.

    It has no parameter to fit, so that what it says of jobs is what it would have said without them.
    """
    compared = tuple(
        Compared(
            (("users", str(users)), ("block", f"{block}KiB"), ("op", op)),
            "throughput", "MB/s", truth(op, block, users), says, users not in UNSEEN, held_out=says,
        )
        for op in ("read", "write") for block in BLOCKS for users in USERS for says in (told(op, block, users),)
    )  # fmt: skip
    compared += tuple(percentiles)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "stack.toml")
        path.write_text(STACK.replace("THINK", think), "utf-8")
        made = stack_system(path)
    seen_under = tuple(each.conditions for each in compared)
    return replace(made, parameters=replace(made.parameters, compared=compared, seen_under=seen_under))


def repeated(op, block, users):
    """Prediction of the stack, times a difference between runs."""
    return told(op, block, users) * math.exp(random.Random(f"{op} {block} {users}").gauss(0.0, 0.03))  # noqa: S311


def percentiles(*names):
    """Latencies by fio of each job: p99 about twice the mean of the stack, p50 half of it."""
    times = {"p50": 0.5, "p99": 2.0}
    return [
        Compared(
            (("users", str(users)), ("block", f"{block}KiB"), ("op", "read")), name, "s",
            times[name] * max(50e-6, users * 10e-6) * scattered(block, users), None, seen=False,
        )
        for name in names for block in BLOCKS for users in USERS
    ]  # fmt: skip


def scattered(*job):
    """By which factor runs of a job differ."""
    return math.exp(random.Random(str(job)).gauss(0.0, 0.08))  # noqa: S311
