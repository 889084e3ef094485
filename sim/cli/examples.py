"""Groups of commands in the help, and the two examples with which the help of each command ends."""

from __future__ import annotations

PANELS = {
    "Ask": ("predict", "sweep", "compare", "find", "growth", "fail"),
    "Calibrate": ("measure", "fit", "report", "data"),
    "Check": ("claim", "hardware"),
    "See": ("explore", "trace"),
    "Describe": ("systems", "stack"),
}
"""Commands of ``stacksim`` by what they are for, in the order of its help."""

FIRST_STEPS = """\
stacksim predicts how fast a database storage stack is, and what limits it.

  stacksim systems                         lists what can be predicted
  stacksim predict postgresql clients=64   answers one question
  stacksim explore postgresql              opens a page with sliders
  stacksim measure /srv/data --dry-run     shows what it would measure
  stacksim -h                              lists all commands"""
"""What ``stacksim`` alone prints."""

EXAMPLES = {
    "predict": ("postgresql clients=64 drive=10us", "dbfs users=8 block=8KiB --explain"),
    "sweep": ("postgresql clients=1,8,64 drive=450us,10us", "nvme-xfs depth=1..128x2 --picture nvme.png"),
    "compare": (
        '"postgresql drive=450us" "postgresql drive=10us" clients=16',
        '"dbfs nodes=2" "dbfs nodes=4" users=8 block=8KiB',
    ),
    "find": ("dbfs 'throughput>=2GB/s' nodes=8 cells=1..14", "dbfs 'mean<=1ms' users=1..64 --largest users"),
    "growth": (
        "dbfs 'p99<=150us' block=8KiB --load users=4 --by 5%",
        "gp3 'mean<=15ms' iops=4000 --load jobs=4 --months 24",
    ),
    "fail": ("three-replicas jobs=64 hosts=4 op=read", "postgresql clients=4 --part 'the drive, slow'"),
    "measure": ("/srv/data --dry-run", "/srv/data --then 'users=64 block=8KiB'"),
    "fit": ("dbfs-dd --no-folds", "calibration-data/examples/bindfs-reads --output own.json"),
    "report": ("dbfs-dd --cells", "calibration-data/examples/bindfs-reads --html own.html"),
    "data": ("read iostat.json", "check calibration-data/examples/bindfs-reads"),
    "data read": ("iostat.json --csv own.csv", "calibration-data/examples/other-tools/iostat.json"),
    "data check": ("calibration-data/examples/bindfs-reads", "own.csv"),
    "data add": ("calibration-data/examples/bindfs-reads --into measured", "my-measurements"),
    "claim": ("--ask --output claims.toml", "claims.toml --html claims.html"),
    "hardware": ("--kind volume", "gp3 samsung-980-pro"),
    "explore": ("postgresql", "models/stacks/gp3.toml --no-browser --port 8080"),
    "trace": ("redo --animate way.html", "dbfs users=4 block=128KiB --output timeline.json"),
    "systems": ("", "postgresql"),
    "stack": ("new my-stack.toml", "check models/stacks/gp3.toml"),
    "stack new": ("my-stack.toml", "my-stack.toml load=postgresql device=disk"),
    "stack check": ("my-stack.toml", "models/stacks/gp3.toml"),
    "stack show": ("my-stack.toml", "models/stacks/gp3.toml --picture gp3.svg"),
    "stack host": ("", "--json"),
    "stack schema": ("", "> stack-schema.json"),
}
"""The words of two examples behind each command."""


def examples(command: str) -> str:
    """End of the help of ``command``: two lines that may be typed as they are."""
    lines = (f"  stacksim {command} {words}".rstrip() for words in EXAMPLES[command])
    return "\n".join(("\b", "Examples:", *lines))  # \b: typer wraps no line of what follows


def panel(command: str) -> str | None:
    """Title of the panel that lists ``command``; None if it is in none."""
    return next((title for title, commands in PANELS.items() if command in commands), None)
