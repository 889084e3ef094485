"""A stack file for tests: a disk behind a controller, in bare steps."""

from __future__ import annotations

DISK = """\
title = "clients on one disk"

[settings]
users = { default = 4, range = [1, 1000], help = "processes" }
block = "64KiB"
op = { default = "read", options = ["read", "write"] }

[parameters]
access = { value = "4ms", bounds = ["1ms", "16ms"], range = ["3ms", "5ms"], basis = "derived", source = "a" }
commands = 2
bus = "150MB/s"

[load]
clients = "users"
block = "block"
op = "op"

[[place]]
kind = "station"
name = "arm"

[[place]]
kind = "pool"
name = "tags"
tokens = "commands"

[[layer]]
kind = "steps"
name = "controller"
steps = [ { hold = "tags", steps = [ { delay = "50us" }, { below = true } ] } ]

[[layer]]
kind = "steps"
name = "disk"
steps = [ { use = "arm", time = "access", bandwidth = "bus", distribution = "exponential" } ]
"""
