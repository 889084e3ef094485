"""The files that make results of a measurement a contribution: its description, and the split chosen beforehand.

The format is that of docs/dev/contributing-data.md; author and licence are left for the user to fill in.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sim.system.system import System
from stacksim.measuring.facts import RAW
from stacksim.measuring.jobs import Job
from stacksim.measuring.plan import Plan

RESULTS = "results"
"""Folder of fio's output files."""


def meta_text(facts: Mapping[str, Any], stack: str) -> str:
    """The file ``meta.toml`` of a measurement under ``facts``, whose system is the stack file ``stack``."""
    device = facts["device"] or facts["source"]
    what = "Random reads" if facts["kind"] == RAW else "Random reads and writes"
    entries = {
        "name": f"measured-{''.join(each for each in facts['filesystem'] if each.isascii() and each.isalnum())}",
        "title": f"{what} of {facts['filesystem']} on {device}",
        "measured": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "by": "whoever ran stacksim measure; write your name",
        "source": "measured with stacksim measure",
        "licence": "NOASSERTION",
        "machine": f"{facts['cores']} cores, {facts['memory_bytes'] / 1e9:.3g} GB of memory; {device}",
        "software": f"{facts['fio']}, Linux {facts['kernel']}",
        "system": stack,
        "quality": "A",
    }
    return "".join(f"{name} = {_text(value)}\n" for name, value in entries.items())


def split_text(system: System, plan: Plan) -> str:
    """The file ``split.toml``: fitted and held-out jobs."""
    parts = [
        *_parts(system, "fitted", "", plan.fitted),
        *_parts(system, "apart", "", plan.held_out),
        *_parts(system, "apart", "twice the load: ", plan.twice),
        _part("apart", "99th percentiles", 'measure = "p99"'),
    ]
    later = ""
    if plan.again:
        later = f", but for the last {len(plan.again)} fitted, which lie beside jobs that a first fit missed"
    return "\n".join((f"# Chosen before anything was run{later}.\n", *parts))


def _parts(system: System, side: str, what: str, jobs: Sequence[Job]) -> Iterator[str]:
    for job in jobs:
        named = ", ".join(f"{name} = {_text(text)}" for name, text in job.stated(system).items())
        yield _part(side, f"{what}{job.name}", f'measure = "throughput", {named}')


def _part(side: str, name: str, where: str) -> str:
    return f"[[{side}]]\nname = {_text(name)}\nwhere = {{ {where} }}\n"


def _text(value: str) -> str:
    """``value`` as a basic string of TOML."""
    plain = "".join(each if each.isprintable() else " " for each in value)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
