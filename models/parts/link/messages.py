"""Network cards: a message occupies the sender's and the receiver's card at once.

message ──> half a round trip ──┬──> [sender's card, out] ──┬──> received
                                └──> [receiver's card, in] ─┘

A switch passes frames on as they come, so a message that meets no other takes the time of one card, not of two. A
card sends and receives at once, each at its full rate.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim import Delay, Fork, Path, Station, Use


@dataclass(frozen=True)
class Card:
    """A card by its two directions."""

    out: Station
    into: Station

    @classmethod
    def of(cls, name: str) -> Card:
        """The card of the machine ``name``."""
        return cls(Station(f"{name} out"), Station(f"{name} in"))


@dataclass(frozen=True)
class Network:
    """Properties of all messages.

    Attributes:
        bytes_per_s: payload that a card carries in each direction.
        one_way_s: time of a message without bytes and without queueing.
        header_bytes: bytes of every message besides its data.
    """

    bytes_per_s: float
    one_way_s: float
    header_bytes: int

    def message(self, sender: Card, receiver: Card, data_bytes: int) -> Path:
        """A message with ``data_bytes`` of data."""
        time_s = (self.header_bytes + data_bytes) / self.bytes_per_s
        sent = Fork(Use(sender.out, time_s), Use(receiver.into, time_s))
        return (Delay(self.one_way_s), sent)
