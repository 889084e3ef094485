"""Predictions that several tests ask for, made once in a run of the tests.

Published figures stand in documents, in reports and in fixtures. What is remembered was computed in this run.

As a script it is the command: `python tests/memo.py FOLDER predict dbfs …`.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sim.prediction import crew, points, prediction
from sim.system.stack.build import Stack

predict_case = prediction.predict_case


def remembered(folder):
    """Like ``predict_case``, of simulations in ``folder`` if they are there."""

    def predicted(case, options, progress=None, **more):
        system = case.system
        stack = system.build if isinstance(system.build, Stack) else None  # files may share a name
        asked = (system.name, stack, system.parameters, tuple(case.settings.items()), options, more)
        kept = Path(folder, hashlib.sha256(repr(asked).encode()).hexdigest())
        if kept.exists():
            return pickle.loads(kept.read_bytes())  # noqa: S301  (written below)
        made = predict_case(case, options, progress, **more)
        descriptor, name = tempfile.mkstemp(dir=folder)
        with os.fdopen(descriptor, "wb") as file:
            pickle.dump(made, file)
        os.replace(name, kept)  # noqa: PTH105  (whole or not at all, whoever else is at it)
        return made

    return predicted


def remember(folder, monkeypatch):
    """From here on, reports and sweeps take what is in ``folder``, and leave there what they find."""
    monkeypatch.setattr(points, "predict_case", remembered(folder))


if __name__ == "__main__":
    from sim.cli import main

    crew.pool = ThreadPoolExecutor  # other processes would remember nothing
    points.predict_case = remembered(sys.argv.pop(1))
    main()
