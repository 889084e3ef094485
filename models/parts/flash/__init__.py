"""A flash device: queue and commands, parallel units, bandwidth in each direction, write buffer and flush."""

from models.parts.flash.device import Flash, FlashLayer

__all__ = ["Flash", "FlashLayer"]
