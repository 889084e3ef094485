"""Where the time of a prediction went, a line for each phase."""

from __future__ import annotations

from collections.abc import Iterator

from sim.engine.units.text import time_text
from sim.output.views.parts import Line, Part, Rows
from sim.prediction.profile import Profile


def parts(profile: Profile) -> Iterator[Part]:
    """A table of the phases."""
    whole_s = sum(each.processor_s for each in profile.phases)
    rows = [
        (
            each.name,
            time_text(each.processor_s),
            f"{each.processor_s / whole_s:.0%}",
            "" if each.elapsed_s is None else time_text(each.elapsed_s),
        )
        for each in profile.phases
    ]
    yield Line("")
    yield Rows(("time of this command", "processor", "share", "elapsed"), rows, right=1)
