"""Who may ask the explorer, and what it sends."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection

import pytest

from sim.engine.errors import InputError
from stacksim.explorer.api import Api
from stacksim.explorer.guard import HEADERS, Guard
from stacksim.explorer.server import MOST_BYTES, Server, page_files


@contextmanager
def running(host="127.0.0.1"):
    server = Server(Api("san"), host)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def server():
    with running() as started:
        yield started


EVERYWHERE = "0.0.0.0"  # noqa: S104  (nothing listens there)

JSON = {"Content-Type": "application/json"}


def sent(server, method, path, body=None, headers=()):
    with closing(HTTPConnection("127.0.0.1", server.server_address[1], timeout=20)) as connection:
        connection.request(method, path, body, dict(headers))
        response = connection.getresponse()
        return response, response.read()


def inside(server, path=""):
    return f"/{server.guard.token}/{path}"


def test_every_file_of_the_page_is_sent_with_headers_that_keep_it_here(server):
    for name in page_files():
        response, content = sent(server, "GET", inside(server, name))
        assert (response.status, content) == (200, page_files()[name])
        assert response.headers["Content-Security-Policy"].startswith("default-src 'self'")
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["Referrer-Policy"] == "no-referrer"


def test_no_file_names_another_machine():
    for name, content in page_files().items():
        text = content.decode().replace("http://www.w3.org/2000/svg", "")
        assert "://" not in text, name


@pytest.mark.parametrize("path", ["/", "/x/", "/explorer.js", "/{}x/", "/{}", "/%FC/"])
def test_without_the_token_nothing_is_sent(server, path):
    path = path.format(server.guard.token)
    for method in ("GET", "POST"):
        response, content = sent(server, method, path, b"{}" if method == "POST" else None, JSON)
        assert (response.status, content) == (403, b"")


@pytest.mark.parametrize(
    "name", ["nowhere.js", "../api.py", "%2e%2e/api.py", "api/answer", "/etc/passwd", "chart.py"]
)
def test_no_other_file_is_sent(server, name):
    assert sent(server, "GET", inside(server, name))[0].status == 404


def test_a_host_by_another_name_is_refused(server):
    port = server.server_address[1]
    for host, status in {
        f"127.0.0.1:{port}": 200, f"localhost:{port}": 200, f"evil.example:{port}": 403,
        f"evil@127.0.0.1:{port}": 403,
        "": 403, "[": 403,
    }.items():  # fmt: skip
        assert sent(server, "GET", inside(server), headers={"Host": host})[0].status == status, host


def test_a_question_from_a_page_of_another_origin_is_refused(server):
    path, own = inside(server, "api/systems"), f"127.0.0.1:{server.server_address[1]}"
    for origin, status in {
        f"http://{own}": 200,
        "http://evil.example": 403,
        "null": 403,
        "http://[": 403,
        own: 403,
    }.items():
        assert sent(server, "POST", path, b"{}", {**JSON, "Origin": origin})[0].status == status


def test_a_question_is_json_of_a_known_name_and_length(server):
    path = inside(server, "api/systems")
    assert sent(server, "POST", path, b"{}", {"Content-Type": "text/plain"})[0].status == 400
    assert sent(server, "POST", path, b"{}", {**JSON, "Content-Length": "-1"})[0].status == 400
    assert sent(server, "POST", path, b"{}", {**JSON, "Content-Length": str(MOST_BYTES + 1)})[0].status == 413
    assert sent(server, "POST", inside(server, "api/close"), b"{}", JSON)[0].status == 404
    assert sent(server, "POST", path, b"{}", {**JSON, "Content-Length": "9" * 5000})[0].status == 400
    refused = sent(server, "PUT", path, b"{}", JSON)[0]
    assert refused.status == 501
    assert HEADERS.items() <= dict(refused.headers).items()


def test_a_hundred_questions_at_once_are_answered(server):
    def ask(_):
        return sent(server, "POST", inside(server, "api/stamp"), json.dumps({"system": "san"}), JSON)[0].status

    with ThreadPoolExecutor(100) as pool:
        assert set(pool.map(ask, range(100))) == {200}


def test_answers_are_lines_of_json(server):
    question = {"design": {"system": "san"}, "page": "p", "move": 1, "carefully": True}
    response, content = sent(server, "POST", inside(server, "api/answer"), json.dumps(question), JSON)
    records = [json.loads(line) for line in content.splitlines()]
    assert response.headers["Content-Type"] == "application/x-ndjson"
    assert [record["last"] for record in records] == [False, False, True]


def test_a_port_that_is_taken_is_reported_in_one_line(server):
    with pytest.raises(InputError, match=r"cannot listen at 127\.0\.0\.1, port \d+: .*; name another --port"):
        Server(Api("san"), port=server.server_address[1])
    with pytest.raises(InputError, match="cannot listen at nowhere"):
        Server(Api("san"), "nowhere.invalid")


def test_tokens_are_long_and_never_the_same():
    tokens = {Guard("127.0.0.1").token for _ in range(100)}
    assert len(tokens) == 100
    assert min(map(len, tokens)) >= 32


@pytest.mark.parametrize(
    ("host", "header", "known"),
    [
        ("127.0.0.1", "127.0.0.1:80", True),
        ("127.0.0.1", "10.0.0.1:80", False),
        (EVERYWHERE, "10.0.0.1:80", True),
        (EVERYWHERE, "[fe80::1]:80", True),
        (EVERYWHERE, "evil.example:80", False),
        ("box", "box:80", True),
        ("::1", "[::1]:80", True),
        ("127.0.0.1", None, False),
    ],
)
def test_host_header_must_name_this_machine(host, header, known):
    assert Guard(host).knows(header, None) == known
