"""``python -m stacksim.notebook.edition NOTEBOOKS TO [NAME ...]``: pages, slides and handouts of lessons."""

from __future__ import annotations

import sys
from pathlib import Path

from stacksim.notebook.edition.pages import make

if __name__ == "__main__":
    if len(sys.argv) < 3:  # noqa: PLR2004  (itself, and two folders)
        sys.exit(__doc__)
    make(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
