"""Nearest kinds, and systems with the mechanism, for well-known layers that stack files do not offer."""

from __future__ import annotations

from collections.abc import Iterable

from sim.engine.errors import did_you_mean

_DISK = 'kind = "disk" is a spinning one', "array, san, zfs-ufs"
_RAID = 'kind = "stripe" deals blocks over members, kind = "mirror" has copies of them; no parity', "array"
_CACHE = (
    'kind = "page cache" is that of a host, kind = "array cache" that of an array',
    "array, file-sync, san, shared-file",
)
_LOCAL = 'kind = "file" has its locks, kind = "journal" its fsync', "shared-ext4, shared-file"

_BARE = "or write it in bare steps (docs/layers.md#bare-steps)"

NEAREST = {
    "array": ('kind = "array cache" above kind = "stripe" and kind = "disk" is one', "array, san"),
    "cache": _CACHE,
    "ext4": _LOCAL,
    "hdd": _DISK,
    "memory": ('kind = "copy" is a copy in memory', "nvme"),
    "network": ('kind = "link" is a network link', "cubefs, nfs-server"),
    "nvme": ('kind = "ssd" is a drive by table', "nvme"),
    "raid": _RAID,
    "ufs": _LOCAL,
    "xfs": _LOCAL,
}
"""The nearest layer, and systems, by common name."""


def instead_of(kind: str, kinds: Iterable[str]) -> str:
    """Hint for an unknown ``kind``: the nearest of ``kinds``, systems with the mechanism, bare steps.

    Empty if it is merely misspelt.
    """
    word = kind.strip().casefold().replace("_", " ").replace("-", " ").rstrip("0123456789 ")
    if word in NEAREST:
        nearest, systems = NEAREST[word]
        return f"; nearest: {nearest}; systems that model it: {systems}; {_BARE}"
    return "" if did_you_mean(kind, kinds) else f"; {_BARE}"
