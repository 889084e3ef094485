"""Calibration: parameters fitted to published figures, with the simulation in the loop."""
