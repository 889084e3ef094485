"""A stack file for claims: a drive behind links, where nothing is by chance, so that answers are arithmetic."""

from __future__ import annotations

from pathlib import Path

SHELF = """\
title = "a drive behind links"

[settings]
clients = { default = 1, range = [1, 64], help = "hosts" }
depth = { default = 1, range = [1, 64], help = "requests in flight of each" }
block = "64KiB"
op = { default = "read", options = ["read", "write", "mixed"] }
links = { default = 1, range = [1, 16], help = "side by side" }
slow = { default = 1.0, range = [1.0, 100.0], help = "how many times as long the drive takes" }
access = { default = "direct", options = ["direct", "buffered"], help = "a word that changes nothing here" }

[parameters]
line = { value = "1GB/s", bounds = ["0.1GB/s", "10GB/s"], basis = "published", source = "a standard" }
read = { value = "400us", bounds = ["100us", "1ms"], range = ["300us", "500us"], source = "a guess" }

[load]
clients = "clients"
depth = "depth"
block = "block"
op = "op"

[[layer]]
kind = "link"
count = "links"
bandwidth = "line"
round_trip = "34us"
header = 0

[[layer]]
kind = "ssd"
slow = "slow"
latency = { read = "read", write = "100us" }
units = 4096
placement = "free"
bandwidth = "20GB/s"
"""

SECONDS = 400e-6 + 34e-6 + 65536 / 1e9
"""A read by itself: drive, round trip, and the way of its bytes."""


def shelf(folder: Path, text: str = SHELF) -> str:
    """The name of the stack file, written to ``folder``."""
    path = folder / "shelf.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)
