"""Parameters of the host with an NVMe drive, with the arithmetic that derives the handover of a lock.

Ten jobs do 11,100 writes/s for any block, so their limit does not depend on bytes. Under an exclusive lock, a
write takes the lock for one submission and one handover: handover = 1 / rate - submission.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import harmonic_mean

from models.parameters import guess
from sim.system import derivation, parameter

_MAIL = "ext4-exclusive: 11,100 writes a second, ten jobs, lock held alone"
_SUBMIT_S, _SUBMIT_LIKELY = 8e-6, (4e-6, 2e-5)  # a system call of libaio, the extents and the block layer


@dataclass(frozen=True)
class _Figures:
    """Published writes/s, and assumptions."""

    four: float = derivation.measured(11_100, 50, "ext4-exclusive/4k before/IOPS")
    sixteen: float = derivation.measured(11_100, 50, "ext4-exclusive/16k before/IOPS")
    sixty_four: float = derivation.measured(11_200, 50, "ext4-exclusive/64k before/IOPS")
    nvme_submit_s: float = derivation.assumed(_SUBMIT_S, _SUBMIT_LIKELY)

    def handover_s(self) -> float:
        """Time from the end of one submission to the beginning of the next."""
        return 1 / harmonic_mean((self.four, self.sixteen, self.sixty_four)) - self.nvme_submit_s


_FIGURES = _Figures()
_HANDOVER = derivation.outcome(_Figures.handover_s, _FIGURES, derivation.moves(_FIGURES))


@dataclass(frozen=True)
class NvmeParameters:
    """The host and its drive; only the handover was measured."""

    nvme_cores: float = parameter(32, "cores", 1, 1024, "assumed", "a server of its time", likely=(8, 96))
    nvme_submit_s: float = guess(
        _SUBMIT_S, "s", _SUBMIT_LIKELY, "of a core under the lock: libaio, extents, block layer"
    )
    nvme_handover_s: float = parameter(
        _HANDOVER.value,
        "s",
        _HANDOVER.value / 5,
        _HANDOVER.value * 5,
        "derived",
        f"{_MAIL}, less the submission",
        _HANDOVER.cells,
        follows=_HANDOVER.follows,
    )
    nvme_convert_s: float = guess(
        2e-5,
        "s",
        (6e-6, 6e-5),
        "to mark one preallocated block as written, one after the other; less than the 90 us of a whole write",
    )
    nvme_latency_s: float = guess(
        1.5e-5, "s", (8e-6, 2.5e-5), "of a drive with a protected cache; three took 20 to 27 us in all"
    )
    nvme_command_s: float = guess(3.3e-6, "s", (1.5e-6, 1e-5), "300,000 random writes of 4 KiB a second")
    nvme_bytes_per_s: float = guess(
        1.8e9, "bytes/s", (9e8, 3.5e9), "from the 731 MB/s that were measured to four lanes of PCIe 3.0"
    )
