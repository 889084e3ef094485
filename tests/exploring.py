"""Steps of browser tests of the explorer: they wait for its page, move it and read it."""

from __future__ import annotations

import shlex


def settle(page):
    """Wait until what was last moved has been simulated."""
    page.wait_for_function(
        "() => { const box = document.getElementById('results'); return 'settled' in box.dataset; }"
    )


def moved(page, act):
    """Do something, and wait until it has been simulated."""
    settle(page)
    page.evaluate("delete document.getElementById('results').dataset.settled")
    act()
    settle(page)


def value(page, answer="throughput"):
    return float(page.get_attribute(f"tr[data-answer={answer}]", "data-value"))


def of_controls(page):
    """The fragment of the address, as pairs."""
    return page.evaluate("Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")


def command_of(page, number=0):
    return shlex.split(page.inner_text(f"#commands code >> nth={number}"))
