"""Simulation runs: warm-up, stopping, replications, known answers, and recording."""
