"""Pictures of pages in the documents show these pages as they are. Run as a script, this file takes them anew."""

from __future__ import annotations

import io
import re
import sys
import threading
from pathlib import Path

import pytest

from sim.cli import main
from stacksim.explorer.api import Api
from stacksim.explorer.server import Server

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
APART = 0.02
"""Largest mean difference of brightness, as a share: letters may be set a little differently elsewhere."""


def claims(page, folder):
    """The first verdict of the page that `stacksim claim --html` writes."""
    path = folder / "claims.html"
    sys.argv = ["stacksim", "claim", str(ROOT / "docs/how-to/claims.toml"), "--html", str(path), "--quiet"]
    with pytest.raises(SystemExit):
        main()
    page.set_viewport_size({"width": 820, "height": 900})
    page.goto(path.as_uri())
    second = page.locator("article").nth(1).bounding_box()
    return page.screenshot(full_page=True, clip={"x": 0, "y": 0, "width": 820, "height": second["y"]})


def explorer(page, _folder):
    """The explorer with two designs, once everything is simulated."""
    server = Server(Api("postgresql"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page.set_viewport_size({"width": 1180, "height": 900})
    page.goto(f"{server.url}#a=postgresql&b=postgresql&b.drive=10us")
    page.locator("#verdict", has_text="B against A").wait_for()
    page.locator("#curve-how", has_text=re.compile("^simulated$")).wait_for()
    taken = page.screenshot(full_page=True)
    server.shutdown()
    server.server_close()
    return taken


TAKEN = {"claims.png": claims, "explorer.png": explorer}


@pytest.mark.parametrize("name", TAKEN)
def test_picture_shows_the_page_as_it_is(name, page, tmp_path, monkeypatch):
    image, numpy = pytest.importorskip("PIL.Image"), pytest.importorskip("numpy")
    monkeypatch.setattr(sys, "argv", sys.argv)
    now, kept = (
        image.open(source).convert("L") for source in (io.BytesIO(TAKEN[name](page, tmp_path)), PICTURES / name)
    )
    assert abs(now.height - kept.height) <= APART * kept.height
    size = (kept.width // 4, kept.height // 4)
    brightness = [numpy.asarray(each.resize(size), float) / 255 for each in (now, kept)]
    assert abs(brightness[0] - brightness[1]).mean() <= APART


if __name__ == "__main__":
    import shutil
    import tempfile

    from playwright.sync_api import sync_playwright

    with sync_playwright() as started, tempfile.TemporaryDirectory() as scratch:
        chromium = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for file, take in TAKEN.items():
            shown = chromium.new_page()
            shown.set_default_timeout(240_000)
            (PICTURES / file).write_bytes(take(shown, Path(scratch)))
        chromium.close()
