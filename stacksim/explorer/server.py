"""HTTP server of the explorer: its page, and answers as lines of JSON, each better than the last."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

from sim.engine.errors import InputError
from sim.engine.units.reading import count
from stacksim.explorer.api import Api
from stacksim.explorer.guard import HEADERS, Guard

_KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}

MOST_BYTES = 64 << 10
"""Largest size of a question, bytes."""

PATIENCE_S = 20
"""Seconds that a connection may stay silent while a request is read."""


@cache
def page_files() -> Mapping[str, bytes]:
    """The files of the page, by name; the page itself has the empty name."""
    folders = files("stacksim.explorer").joinpath("page"), files("sim.output.pictures")
    found = [each for folder in folders for each in folder.iterdir() if each.name.rpartition(".")[2] in _KINDS]
    contents = {each.name: each.read_bytes() for each in found}
    return {**contents, "": contents["index.html"]}


class Server(ThreadingHTTPServer):
    """Serves the page until it is closed.

    Raises:
        InputError: the address is not available; the message says why.
    """

    daemon_threads = True
    request_queue_size = 128  # with the usual five, some of many tabs would be refused

    def __init__(self, api: Api, host: str = "127.0.0.1", port: int = 0) -> None:
        self.api, self.guard = api, Guard(host)
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), _Handler)
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(
                f"cannot listen at {host}, port {port}: {reason}; name another --port or --host"
            ) from None

    @property
    def url(self) -> str:
        """Address of the page, with the token."""
        host = f"[{self.guard.host}]" if ":" in self.guard.host else self.guard.host
        return f"http://{host}:{self.server_address[1]}/{self.guard.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore the error: a browser went away, or a connection stayed silent."""

    def server_close(self) -> None:
        """Stop all work, too."""
        self.api.close()
        super().server_close()


class _Handler(BaseHTTPRequestHandler):
    """One connection of a browser."""

    protocol_version = "HTTP/1.1"
    timeout = PATIENCE_S
    server: Server

    def do_GET(self) -> None:
        """Send a file of the page."""
        name = self._inside()
        if name is None:
            return
        name = name.partition("?")[0]
        if name not in page_files():
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        content = page_files()[name]
        kind = _KINDS[name.rpartition(".")[2] if name else "html"]
        self._begin(HTTPStatus.OK, {"Content-Type": kind, "Content-Length": str(len(content))})
        self.wfile.write(content)

    def do_POST(self) -> None:
        """Answer a question, a line of JSON for each record."""
        name = self._inside()
        if name is None:
            return
        length = count(self.headers.get("Content-Length", ""))
        if length is None or self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.BAD_REQUEST)
        elif length > MOST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        elif name.removeprefix("api/") not in self.server.api.questions:
            self._refuse(HTTPStatus.NOT_FOUND)
        else:
            self._stream(self.server.api.records(name.removeprefix("api/"), self.rfile.read(length)))

    def _inside(self) -> str | None:
        """The requested path after the token; None if the request was refused."""
        allowed = self.server.guard.knows(self.headers.get("Host"), self.headers.get("Origin"))
        inside = self.server.guard.inside(self.path) if allowed else None
        if inside is None:
            self._refuse(HTTPStatus.FORBIDDEN)
        return inside

    def _refuse(self, status: HTTPStatus) -> None:
        self.close_connection = True  # the rest of the request is not read
        self._begin(status, {"Content-Length": "0", "Connection": "close"})

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Refuse errors of the library, such as an unknown method, like all others."""
        self._refuse(HTTPStatus(code))

    def _begin(self, status: HTTPStatus, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _stream(self, records: Iterator[Any]) -> None:
        """Send each record as soon as it is ready."""
        self._begin(HTTPStatus.OK, {"Content-Type": "application/x-ndjson", "Transfer-Encoding": "chunked"})
        for record in records:
            line = json.dumps(record, allow_nan=False).encode() + b"\n"
            self.wfile.write(b"%x\r\n%b\r\n" % (len(line), line))
        self.wfile.write(b"0\r\n\r\n")

    def version_string(self) -> str:
        """Hide the Python version."""
        return "stacksim"

    def log_message(self, *_: Any) -> None:
        """Do not log requests."""
