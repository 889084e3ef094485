"""A real browser for the tests of pages: Debian's Chromium, driven by Playwright.

Without either, each test says what to install and is skipped; `make browser` installs all but Chromium.
"""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from exploring import settle
from stack_files import DISK
from stacksim.explorer.api import Api
from stacksim.explorer.server import Server
from watching import watch

FOLDER = Path(__file__).parent
CHROMIUM = shutil.which("chromium")
PATIENCE_MS = 90_000
"""Longest time of a page for anything, on a machine that does other work as well."""


def pytest_collection_modifyitems(items):
    """Mark every test of this folder, so that it runs with `make browser` alone."""
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all tests."""
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make browser")
    if CHROMIUM is None:
        pytest.skip("no chromium is installed: apt-get install chromium")
    with driver.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser):
    """Makes pages, of any size and in light or dark; none may complain, or ask another machine for anything."""
    contexts, faults = [], []

    def opened(**options):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE_MS)
        faults.append(watch(page))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not any(faults), "\n".join(line for each in faults for line in each)


@pytest.fixture
def page(open_page):
    """A page 1280 pixels wide, in light."""
    return open_page(viewport={"width": 1280, "height": 900})


@pytest.fixture
def explorer(tmp_path):
    """Starts explorers on free ports; each begins with a system, by default a small stack file."""
    servers = []

    def started(given=None):
        path = tmp_path / "disk.toml"
        path.write_text(DISK, encoding="utf-8")
        server = Server(Api(given or str(path)))
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server.url

    yield started
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def disk(page, explorer):
    """The page of a small stack file, once it is simulated."""
    page.goto(explorer())
    settle(page)
    return page
