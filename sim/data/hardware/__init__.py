"""The catalogue of hardware: limits of links, devices, volumes and instances, with dates and sources."""

from sim.data.hardware.catalogue import catalogue, hardware, kinds, parts
from sim.data.hardware.record import Hardware, Limit, Line

__all__ = ["Hardware", "Limit", "Line", "catalogue", "hardware", "kinds", "parts"]
