"""Faults that no page may have in any test: complaints, and requests to another machine."""

from __future__ import annotations

from urllib.parse import urlsplit

OWN_HOSTS = ("127.0.0.1", "localhost", "")
"""Hosts that a page may ask; a file has none."""


def watch(page) -> list[str]:
    """The faults of ``page`` from now on, one line each; the list grows as they happen."""
    faults: list[str] = []
    page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda asked: faults.append(f"asks {asked.url}") if foreign(asked.url) else None)
    return faults


def foreign(url: str) -> bool:
    """True if ``url`` is on another machine."""
    parts = urlsplit(url)
    return parts.scheme not in ("data", "blob", "about") and (parts.hostname or "") not in OWN_HOSTS
