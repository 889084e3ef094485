"""A hook of MkDocs: links that leave the folder of pages are shown as the paths that they are.

Pages link to files of the project beside them, such as a notebook or a source, which a site does not hold.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

LINK = re.compile(r"(?<!\!)\[(?P<text>[^\]]+)\]\((?P<target>(?:\.\./)+[^)#\s]+)(?:#[^)\s]*)?\)")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Keep the text of each link out of ``docs``, with the path behind it."""
    folder = posixpath.dirname(page.file.src_uri)

    def kept(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join("docs", folder, link["target"]))
        return link[0] if path.startswith("docs/") else f"{link['text']} (`{path}`)"

    return LINK.sub(kept, markdown)
