"""The catalogue of hardware: what links, devices, volumes and instances can do at most, since when, says who."""

from sim.data.hardware.catalogue import catalogue, hardware, kinds, parts
from sim.data.hardware.record import Hardware, Limit, Line

__all__ = ["Hardware", "Limit", "Line", "catalogue", "hardware", "kinds", "parts"]
