"""Asking a system: predictions, sweeps, reports, explanations."""
