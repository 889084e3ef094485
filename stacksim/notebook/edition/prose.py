"""Markdown and Python of cells as HTML; formulas as MathML, which needs no script."""

from __future__ import annotations

import re
from functools import cache

import mistune
from latex2mathml.converter import convert
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import PythonLexer  # type: ignore[import-untyped]

_PAGE = "data-page"
"""Attribute of a link to a page of the site, which is alive only where the edition lies inside the site."""


class _Renderer(mistune.HTMLRenderer):
    """HTML with links between pages of the edition, and anchors of headings as GitHub names them."""

    def link(self, text: str, url: str, title: str | None = None) -> str:
        if url.startswith("../docs/"):
            page = re.sub(r"\.md\b", ".html", url.replace("../docs/", "../", 1))
            return f'<a {_PAGE}="{mistune.escape(page)}">{text}</a>'
        if url.startswith("../"):  # a file of the project that no site has
            return text
        own = "index.html" if url == "README.md" else re.sub(r"\.ipynb\b", ".html", url)
        return super().link(text, own, title)

    def inline_math(self, text: str) -> str:
        return convert(text)

    def block_math(self, text: str) -> str:
        return f'<div class="formula" tabindex="0">{convert(text, display="block")}</div>\n'


@cache
def _markdown() -> mistune.Markdown:
    return mistune.create_markdown(renderer=_Renderer(escape=False), plugins=["table", "math"])


def prose(source: str) -> str:
    """HTML of Markdown."""
    return str(_markdown()(source))


def anchor(title: str) -> str:
    """Anchor of a heading, as GitHub names it."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def python(source: str) -> str:
    """HTML of Python, with classes that `edition.css` colours."""
    return str(highlight(source, PythonLexer(), HtmlFormatter(nowrap=True)))
