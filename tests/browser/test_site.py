"""The site at two widths, light and dark: no page is wider than the window, the animation plays, search finds."""

from __future__ import annotations

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from built_site import built_site

WIDTHS, SCHEMES = (400, 1280), ("light", "dark")
PAGES = ("index", "claims", "layers", "measurements", "how-to/how-many-cells", "stacks/postgresql", "api")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Requests are not printed."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = built_site(tmp_path_factory.mktemp("site"))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_fit_the_window(open_page, site, width, scheme):
    page = open_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    for name in PAGES:
        page.goto(f"{site}/{name}.html")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_animation_of_first_page_plays(open_page, site, width, scheme):
    page = open_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(f"{site}/index.html")
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Pause").wait_for()
    before = frame.locator("body").inner_text()
    page.wait_for_timeout(1000)
    assert frame.locator("body").inner_text() != before


def test_search_finds_a_claim(page, site):
    page.goto(f"{site}/index.html")
    page.get_by_placeholder("Search").click()
    page.get_by_placeholder("Search").fill("RAPID mode only kicked reads")
    page.locator(".md-search-result a[href*='claims.html?h=']").first.wait_for()
