"""Raw rounds of our own measurements, in one archive: ``python -m benchmarks.own_rounds`` makes it anew.

It then holds what it held and what was measured since, and its hash belongs into calibration-data/own/README.md.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import sys
import tarfile
from pathlib import Path

from sim.engine.files import write_atomically

RESULTS = Path(__file__).parents[1] / "calibration-data" / "own"
ARCHIVE = RESULTS.with_name("own-rounds.tar.xz")
UNPACKED = RESULTS.with_name("own-rounds")


def main() -> None:
    """Make the archive anew, and print its hash."""
    unpack(UNPACKED)
    content = lzma.compress(tar(UNPACKED), preset=9 | lzma.PRESET_EXTREME)
    write_atomically(ARCHIVE, content)
    sys.stdout.write(f"{hashlib.sha256(content).hexdigest()}\n")


def unpack(folder: Path) -> None:
    """Unpack the archive into ``folder``, beside what was measured since: no round is measured over."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")


def tar(folder: Path) -> bytes:
    """A tar archive of the files below ``folder`` that depends on their names and contents alone."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            member = tarfile.TarInfo(file.relative_to(folder).as_posix())  # of no owner, in 1970
            content = file.read_bytes()
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


if __name__ == "__main__":
    main()
