"""Cloud volumes without their mechanisms."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from models.parts.limits import Bucket, Limits

LIMITS = Limits.layer
BUCKET = Bucket.of
UNLIMITED = dict.fromkeys(("iops", "burst_iops", "bandwidth", "burst_bandwidth"), inf)


def an_instance_without_limits(monkeypatch):
    def layer(self, name, below):
        return LIMITS(replace(self, **UNLIMITED) if name == "instance" else self, name, below)

    monkeypatch.setattr(Limits, "layer", layer)


def limits_of_ios_only(monkeypatch):
    def bucket(name, per_second, *rest):
        return BUCKET(name, inf if "bandwidth" in name else per_second, *rest)

    monkeypatch.setattr(Bucket, "of", bucket)


def buckets_that_hold_no_credits(monkeypatch):
    def bucket(name, per_second, _, *rest):
        return BUCKET(name, per_second, 0, *rest)

    monkeypatch.setattr(Bucket, "of", bucket)
