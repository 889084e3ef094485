"""Parameters of the shared-file system: those of three hosts, each with its device."""

from __future__ import annotations

from dataclasses import dataclass

from models.systems.shared_file.duo_parameters import DuoParameters
from models.systems.shared_file.lun_parameters import LunParameters
from models.systems.shared_file.nvme_parameters import NvmeParameters
from sim.system import Parameters


@dataclass(frozen=True)
class SharedFileParameters(NvmeParameters, DuoParameters, LunParameters):
    """Numbers of the hosts and devices."""


PARAMETERS = Parameters.of(SharedFileParameters)
"""All parameters of the shared-file system."""
