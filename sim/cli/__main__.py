"""``python -m sim.cli`` is ``stacksim``."""

from sim.cli import process

process()
