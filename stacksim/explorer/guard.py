"""Access control of the explorer: a secret token in the address, and a host name of this machine."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_HERE = ("127.0.0.1", "localhost", "::1")

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""Headers of every response: nothing is loaded from elsewhere, cached, framed, or sent as a referrer."""


@dataclass(frozen=True)
class Guard:
    """Requirements of a request.

    Attributes:
        host: the address at which the explorer listens.
        token: the first part of every path; random, so that no other page or user can guess it.
    """

    host: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    def inside(self, path: str) -> str | None:
        """The part of ``path`` after the token; None with another token."""
        token, slash, rest = path.removeprefix("/").partition("/")
        same = hmac.compare_digest(token.encode(), self.token.encode())
        return rest if same and slash else None

    def knows(self, host: str | None, origin: str | None) -> bool:
        """True if the header ``Host`` names this machine, and ``Origin``, if present, matches it.

        This refuses pages whose own host name resolves to this machine (DNS rebinding).
        """
        named = _hostname(f"//{host}") if host else None
        return self._is_here(named) and (origin is None or origin.partition("://")[2] == host)

    def _is_here(self, named: str | None) -> bool:
        if named is None or named in (*_HERE, self.host):
            return named is not None
        return self.host not in _HERE and _is_address(named)


def _hostname(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        hostname = parts.hostname
    except ValueError:
        return None
    return None if "@" in parts.netloc else hostname  # a user's name has no place in a header


def _is_address(named: str) -> bool:
    """True if ``named`` is an IP address, not a name that could resolve to anything."""
    try:
        ipaddress.ip_address(named)
    except ValueError:
        return False
    return True
