"""The site: its first page shows an animation, search finds each claim, links lead somewhere (`make docs`)."""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from pathlib import Path
from urllib.parse import unquote

import pytest

from built_site import built_site

ROOT = Path(__file__).parents[2]
CLAIMS = [
    claim
    for file in sorted((ROOT / "calibration-data" / "claims").glob("*.toml"))
    for claim in tomllib.loads(file.read_text("utf-8"))["claim"]
]
LINK = re.compile(r'(?:href|src)="(?!\w+:|//|#)([^"#?]+)')


@pytest.fixture(scope="module")
def hooks():
    spec = importlib.util.spec_from_file_location("mkdocs_hooks", ROOT / "mkdocs_hooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_of_claims_has_each_claim_with_source_and_reason(hooks):
    sections = "".join(hooks.library())
    for claim in CLAIMS:
        assert all(hooks.escaped(claim[key]) in sections for key in ("text", "source", "reason"))


def test_first_page_has_animation_and_map(hooks):
    page = hooks.first_page()
    assert page.index(f'<iframe src="{hooks.ANIMATION}"') < page.index("## One question")
    assert "](which-system.md)" in page
    assert "](docs/" not in page


def test_animation_loads_nothing_from_elsewhere(hooks):
    page = hooks.animation()
    assert page.startswith("<!doctype html>")
    assert not re.findall(r'(?:src|href)="https?:', page)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[a](b.md#c)", "[a](b.md#c)"),
        ("[a](../README.md#c)", "[a](README.md#c)"),
        ("[a](../notebooks/README.md)", "[a](teach.md)"),
        ("[a](../notebooks/01-one-io.ipynb)", "a (`notebooks/01-one-io.ipynb`)"),
        ("[a](https://x.org)", "[a](https://x.org)"),
    ],
)
def test_links_out_of_docs_become_pages_or_paths(hooks, text, shown, tmp_path, monkeypatch):
    monkeypatch.setattr(hooks, "LESSONS", tmp_path)
    assert hooks.mended(text, "docs/x.md", "x.md") == shown


def test_lessons_are_pages_of_the_site_once_they_are_made(hooks, tmp_path, monkeypatch):
    monkeypatch.setattr(hooks, "LESSONS", tmp_path)
    (tmp_path / "01-one-io.html").write_text('<a data-page="../glossary.html#knee">knee</a>', "utf-8")
    assert [*hooks.lessons()] == [("lessons/01-one-io.html", '<a href="../glossary.html#knee">knee</a>')]
    mended = hooks.mended("[01](01-one-io.ipynb)", "notebooks/README.md", hooks.TEACH)
    assert mended == "[01](lessons/01-one-io.html)"


@pytest.mark.slow
def test_built_site_has_all_pages_and_no_broken_link(tmp_path):
    built_site(tmp_path)
    pages = sorted(tmp_path.rglob("*.html"))
    assert {"index.html", "teach.html", "teaching.html", "animation.html", "claims.html"} <= {
        page.name for page in pages
    }
    for page in pages:
        for target in LINK.findall(page.read_text("utf-8")):
            if page.name not in ("404.html", "animation.html"):
                assert (page.parent / unquote(target)).resolve().exists(), f"{page.name} leads to {target}"
    found = json.loads((tmp_path / "search" / "search_index.json").read_text("utf-8"))["docs"]
    assert sum(each["location"].startswith("claims.html#") for each in found) > len(CLAIMS)
