"""Shared by the tests of the command: a refusal is exit status 2 and one line."""

from __future__ import annotations


def refused(ran, *parts):
    """The line of a refusal, which has all ``parts``; nothing is on standard output."""
    status, out, err = ran
    assert (status, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith("stacksim: ")
    for part in parts:
        assert part in line
    return line
