"""Describing a system: settings, parameters, and the model that they make."""
