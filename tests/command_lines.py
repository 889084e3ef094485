"""Hypothesis strategies for what people type behind ``stacksim``: right, nearly right, and odd."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import strategies as st
from typer import Context
from typer.main import get_command

from sim.cli.app import app
from sim.engine.simulation.options import SOLVERS
from sim.engine.statistics.answers import ANSWERS
from sim.system import Setting
from sim.system.installed import systems
from sim.system.settings import Choice, Count, File, Flag, Number, Size
from sim.system.system import System


def all_commands():
    """Commands of ``stacksim`` by name, those of guests among them."""
    group = get_command(app)
    context = Context(group)
    return {name: group.get_command(context, name) for name in group.list_commands(context)}


COMMANDS = all_commands()

INPUTS = ("fit.json", "own.csv", "fio.json", "dd", "trace.csv")
"""Files that can be used, each for one thing."""

OUTPUTS = ("new.csv", "new.json", "new.png", "new.svg", "new.html", "there.csv", "there.json", "NEW.PNG")

ODD_FILES = (
    *("-", "nowhere/new.csv", "nowhere/new.json", "nowhere/new.png", "nowhere/new.html", "folder", "folder/"),
    *("folder.csv", "folder.json", "folder.png", "locked/new.csv", "locked/new.json", "locked/new.svg"),
    *("loop.json", "there.csv/new.csv"),
    *("pipe.json", "pipe.csv", "/dev/null", "/dev/full", ".", "..", "/", "~", "empty"),
    *("x" * 300 + ".csv", "x" * 5000 + ".json", "\udcff.csv", "\udcff.json", "µ\n.csv", "new.csv "),
    *(".csv", "new."),
)
"""Names of files that are missing, or something else; "locked" may not be written to, unless by root."""

ODD = (
    *("", " ", "=", "==", "-", "--", "---", "-x", "-h", "--help", "--version", "--json=", "\t", "\n"),
    *("a\nb", "\r", "\x07", "\x1b[31m", "\x7f", "\x85", "\u2028", "\u202e", "\ufeff", "\udcff", "\udc80=\udc80"),
    *("é", "e\u0301", "日本", "עברית", "٤", "½", "²", "µ", "\U0001f4be", "×", "−1", "nan", "NaN", "inf", "-inf"),
    *("1e400", "1e-400"),
    *("-1", "0", "-0", "0.0", "1", "2", "1.5", "1e3", "1_000", "0x10", "1,5", "1,,2", ",", ",,", "1,", "1,2,1"),
    *("9" * 18, "9" * 19, "9" * 5000, "0" * 5000 + "1", "0." + "0" * 400 + "1", "x" * 5000, "=" * 5000),
    *("," * 5000, "%", "%%", "1%%", "%s", "{}", "{0}", "{", "[b]", "[/b]", "$a$", "\\", "'", '"', "*", "!", "#"),
    *("None", "True"),
    *("a=", "=a", "a=b=c", "nodes=4=4", "users", "users=", "users = 4", "fitted", "all", "none", "yes", "no"),
)
"""Words that nobody should type."""

UNITS = ("B", "k", "K", "kB", "KB", "Kb", "KiB", "Ki", "kib", "MiB", "MB", "m", "GiB", "PiB", "bit", "s", " KiB")

# No NUL, which no word of a command line has, and no slash, or files would be written just anywhere.
_LETTERS = st.characters(codec="utf-8", exclude_characters="\0/") | st.sampled_from("=,-%.e\n\x1b\udc80\udcff")

SYSTEMS = tuple(systems().values())


def odd_words() -> st.SearchStrategy[str]:
    """Words without sense."""
    return st.sampled_from(ODD) | st.text(_LETTERS, max_size=12)


@st.composite
def nearly(draw, word: str) -> str:
    """``word`` with a slip of the finger."""
    at, letter = draw(st.integers(0, len(word))), draw(_LETTERS)
    slips = (word[:at] + word[at + 1 :], word[:at] + letter + word[at:], word[:at] + letter + word[at + 1 :])
    slip = draw(st.sampled_from((*slips, word.upper(), word.title(), f" {word}", f"{word} ", word + word)))
    return slip if "install" not in slip else word


CARELESS = st.shared(st.booleans(), key="careless")
"""True if a line has faults; half of the lines have none, or nothing would ever be answered."""


def mostly(right: st.SearchStrategy[str], wrong: Collection[str] = ODD) -> st.SearchStrategy[str]:
    """A ``right`` word; in a careless line now and then one not quite right, or one of the ``wrong`` words."""
    kinds = st.sampled_from((right,) * 10 + (right.flatmap(nearly), st.sampled_from(wrong), odd_words()))
    return CARELESS.flatmap(lambda careless: kinds.flatmap(lambda kind: kind) if careless else right)


def values(setting: Setting, *, largest: bool) -> st.SearchStrategy[str]:
    """A value of ``setting``: its default, small ones, the ``largest`` if that may be; or what is just wrong."""
    default = setting.show(setting.default)
    match setting:
        case Count(low=low, high=high):
            small = (default, low, low + 1, min(low + 3, high))
            return _known((*small, *[high] * largest), (low - 1, high + 1))
        case Size(low=low, high=high):
            written = [f"{number}{unit}" for number in ("1", "2", "0.5", "64", "1e3") for unit in UNITS]
            return _known((default, low, 2 * low, *[high] * largest), (low - 1, high + 1, *written))
        case Number(low=low, high=high):
            return _known((default, low, (low + high) / 2, high), (low - 1, high + 1e-9, 1e-9, f"+{low}"))
        case Choice(options=options):
            return _known(options, (options[0].upper(), options[0][:-1]))
        case File():
            return _known((default, "trace.csv", "trace\x1b[31m.csv"), (*INPUTS, *ODD_FILES))
        case Flag():
            return _known(("yes", "no"), ("Yes", "true", "1"))
    return st.just(default)


def _known(right: Collection[object], wrong: Collection[object]) -> st.SearchStrategy[str]:
    return mostly(st.sampled_from([str(each) for each in right]), [str(each) for each in wrong])


@st.composite
def settings_of(draw, system: System, *, several: bool) -> list[str]:
    """Words ``setting=value``, with up to three values each if ``several``."""
    words = []
    least, most = (1, 3) if several else (0, 4)
    twice = draw(CARELESS) and not draw(st.integers(0, 4))
    unlike = None if twice else str
    chosen = st.lists(st.sampled_from(system.settings.entries), min_size=least, max_size=most, unique_by=unlike)
    for setting in draw(chosen):
        one = st.lists(
            values(setting, largest=not several), min_size=1, max_size=3 if several else 1, unique_by=unlike
        )
        given = ",".join(draw(one))
        words.append(f"{draw(mostly(st.just(setting.name)))}={given}")
    return words


TEXTS = {
    "--engine": _known(SOLVERS, ("simpy",)),
    "--precision": _known(("50%", "20%", "0.5", "1%", "0.01%", ".1", "1e-1"), ("51%", "0%", "5e1%", "-1%")),
    "--watch": _known(("all", *ANSWERS, "p50,p99", "throughput,mean"), ("p50,p50", "p999", "all,p50")),
    "--max-steps": _known(("1", "10", "1000", "100000", "9" * 18), ("0", "-1", "1e3")),
    "--seed": _known(("0", "1", "7", "9" * 18), ("-1", "1.0")),
    "--set": _known(("cores=8", "cores=2,4"), ("cores=0", "core=8", "cores=two", "cores=-1", "cores", "=8")),
    "--hardware": _known(("optane-p4800x", "ssd=crucial-t500", "cheetah-15k5"), ("optane", "ssd=", "=x", "")),
    "--job": _known(("jobs.fio",), (*INPUTS, *ODD_FILES)),
    "--output-format": _known(("normal", "json"), ("jsn", "terse")),
    "--draw": _known(("throughput", "mean", "p50,p99"), ("hit ratio", "elapsed", "throughput,mean", "p99,p99")),
    "--over": _known(("users", "block", "clients"), ("user", "", "elapsed")),
    "--requests": _known(("1", "2", "50"), ("0", "9" * 18)),
    "--walks": _known(("1", "2", "50"), ("0", "9" * 18)),
    "--part": _known(
        ("a cell", "a disk", "cells=2", "users=2,op=read"), ("cell", "cells=", "cells=2,cells=2", "")
    ),
    "--data": _known(("4TB", "1KiB"), ("4kB", "much", "-1")),
    "--each": _known(("10ms", "0.1s"), ("0s", "10", "-1s", "soon")),
    "--for": _known(("1s", "10s", "1min"), ("0s", "10", "-1s", "1e9d", "soon")),
    "--resolution": _known(("100ms", "1s"), ("0s", "1", "1d")),
    "--kind": _known(("link", "volume", "ssd"), ("lnk", "", "LINK")),
    "--starts": _known(("1", "2"), ("0", "9" * 18)),
    "--repeat": _known(("1", "2"), ("0", "1.5")),
    "--system": _known([each.name for each in SYSTEMS], ("dbf",)),
    "--load": _known(("users=8", "sessions=6", "clients=8", "jobs=4"), ("users", "users=0", "op=read", "=8")),
    "--by": _known(("3%", "0.5", "100%"), ("0", "3", "-3%", "101%")),
    "--months": _known(("1", "2", "3"), ("0", "601", "1.5")),
    "--from": _known(("2026-12", "1900-01"), ("2026-13", "26-12", "2026-1")),
    "--fitted": _known(("fit.json", "fit\x1b[31m.json"), (*INPUTS, *ODD_FILES)),
    "--pair": _known(("users,block", "nodes,cells", "users,users"), ("users", ",", "a,b")),
    "--store": _known(("new.sqlite", "new.sqlite", "empty/new.sqlite"), (*INPUTS, *ODD_FILES)),
    "--dask": _known(("nowhere",), ("tcp://127.0.0.1:1", "tcp://", "")),
    "--parquet": _known(("new.parquet", "-"), (*OUTPUTS, *ODD_FILES)),
    "--csv": _known(("new.csv", "there.csv", "-"), (*OUTPUTS, *ODD_FILES)),
    "--animate": _known(("new.html", "NEW.HTML", "-"), (*OUTPUTS, *ODD_FILES)),
    "--picture": _known(("new.png", "new.svg", "NEW.PNG", "-"), (*OUTPUTS, *ODD_FILES)),
    "--largest": _known(("users", "block", "clients", "jobs"), ("user", "op", "", "users,block")),
    "--cost": _known(("prices.toml",), (*INPUTS, *ODD_FILES)),
    "--loads": _known(("loads.toml",), (*INPUTS, *ODD_FILES)),
    "--html": _known(("new.html", "-"), (*OUTPUTS, *ODD_FILES)),
    "--output": _known(("new.json", "new\x1b[31m.json", "there.json", "-"), (*OUTPUTS, *ODD_FILES)),
}
"""Values of an option."""


@st.composite
def options(draw, command: str) -> list[tuple[str, ...]]:
    """Some of the options of ``command``, each with its value, in any order, now and then twice."""
    found = []
    known = [each for each in COMMANDS[command].params if each.param_type_name == "option"]
    for option in draw(st.lists(st.sampled_from(known), max_size=4)):
        name = draw(mostly(st.sampled_from(option.opts)))
        if option.is_flag:
            found.append((name,))
        else:
            text = draw(TEXTS[option.opts[0]])
            found.append(draw(st.sampled_from(((name, text), (f"{name}={text}",)))))
    return found


def goals() -> st.SearchStrategy[list[str]]:
    """Goals, mostly one."""
    right = (
        "throughput>=1",
        "throughput>=5GB/s",
        "p99<=2ms",
        "mean<=1s",
        "elapsed<=8h",
        "sustained>=1",
        "lowest second>=1",
    )
    one = _known(right, ("p99<2ms", "p98<=2ms", "p99<=", "<=", "p99<=2GB/s", "throughput>=1e400", "throughput≥1"))
    return st.lists(one, min_size=1, max_size=2, unique_by=str)


def datasets() -> st.SearchStrategy[list[str]]:
    """Names of published tables."""
    names = _known(("fc-fabric", "dbfs-dd", "direct-copy", "zfs-ufs"), ("dbfs", "DBFS-DD", "fc-fabric fc-fabric"))
    return st.lists(names, max_size=3, unique_by=str)


@st.composite
def lines(draw) -> list[str]:
    """A whole line; in a careless one words are missing, strange, or stand somewhere else."""
    seldom = ("find", "trace", "compare", "growth", "fit", "report", "systems", "fail", "hardware", "claim")
    command = draw(st.sampled_from((*("predict", "sweep") * 3, *seldom)))
    parts: list[tuple[str, ...]] = [(word,) for word in draw(_operands(command, draw(st.sampled_from(SYSTEMS))))]
    for option in draw(options(command)):
        parts.insert(draw(st.integers(0, len(parts))), option)
    words = [draw(mostly(st.just(command))), *_short(command), *(word for part in parts for word in part)]
    if draw(CARELESS):
        match draw(st.sampled_from(("", "", "", "add", "drop", "twice", "swap"))), draw(_place(words)):
            case "add", at:
                words.insert(at, draw(odd_words()))
            case "drop", at:
                del words[at]
            case "twice", at:
                words.insert(at, words[at])
            case "swap", at:
                words[0], words[at] = words[at], words[0]
    return words


def _place(words: Collection[str]) -> st.SearchStrategy[int]:
    return st.integers(0, len(words) - 1)


def _operands(command: str, system: System) -> st.SearchStrategy[list[str]]:
    named = mostly(st.just(system.name)).map(lambda name: [name])
    match command:
        case "systems":
            return named | st.just([])
        case "hardware":
            return st.lists(_known(("fc-2", "GP3", "2gfc"), ("fc-3", "2 x fc-2", "")), max_size=2)
        case "fit" | "report":
            files = _known(("own.csv", "fio.json", "dd"), (*INPUTS, *ODD_FILES))
            given = st.tuples(files, settings_of(system, several=False))
            return datasets() | given.map(lambda both: [both[0], *both[1], "--system", system.name])
        case "claim":
            return _known(("claims.toml",), (*INPUTS, *ODD_FILES)).map(lambda name: [name])
        case "compare":
            side = st.tuples(named, settings_of(system, several=False)).map(
                lambda both: " ".join(both[0] + both[1])
            )
            return st.lists(side, min_size=2, max_size=2)
        case "growth":
            grows = [each for each in system.settings if isinstance(each, Count | Size)]
            load = mostly(st.sampled_from([f"{each.name}={max(each.default, 1)}" for each in grows]))
            given = settings_of(system, several=False)
            return st.tuples(named, goals(), given, load).map(
                lambda parts: [*parts[0], *parts[1], *parts[2], "--load", parts[3]]
            )
        case "find":
            given = settings_of(system, several=True)
            return st.tuples(named, given, goals()).map(lambda parts: [*parts[0], *parts[1], *parts[2]])
    given = settings_of(system, several=command == "sweep")
    return st.tuples(named, given).map(lambda both: both[0] + both[1])


def _short(command: str) -> list[str]:
    """So that most runs are short; what comes behind counts more."""
    if command == "growth":
        return ["--precision", "50%", "--months", "2"]
    return (
        ["--precision", "50%"]
        if command in ("predict", "sweep", "find", "trace", "compare", "report", "fail")
        else []
    )
