"""Files of fitted parameters: written by a fit, validated on reading, applied to systems."""

from sim.data.fitted.files import COVARIANCES, loaded, path_in, read, record, refitted, system_of, write
from sim.data.fitted.record import (
    CROSSED,
    IN_SAMPLE,
    LEFT_OUT,
    NO_TRANSFERS,
    TO_MACHINE,
    Errors,
    ErrorsWithBaselines,
    Fitted,
    FittedFigure,
    FittedValue,
    Moved,
    ToldFigure,
    data_hash,
    definitions_hash,
)

__all__ = [
    "COVARIANCES",
    "CROSSED",
    "IN_SAMPLE",
    "LEFT_OUT",
    "NO_TRANSFERS",
    "TO_MACHINE",
    "ErrorsWithBaselines",
    "Errors",
    "Fitted",
    "FittedFigure",
    "FittedValue",
    "Moved",
    "ToldFigure",
    "data_hash",
    "definitions_hash",
    "loaded",
    "path_in",
    "read",
    "record",
    "refitted",
    "system_of",
    "write",
]
