"""Questions of `stacksim stack new`, and the part of a stack file for each answer.

The layers come in the order in which an I/O passes them: load, network (NFS), file system, network (a remote
drive), redundancy, device. Parameters begin at the priors of their kinds, so that few figures suffice for a fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sim import InputError


@dataclass(frozen=True)
class Question:
    """One question; the first of the ``options`` is the default answer.

    Attributes:
        only_if: an earlier question, and the answers to it after which this one is asked; None: always asked.
    """

    name: str
    text: str
    options: tuple[str, ...]
    only_if: tuple[str, tuple[str, ...]] | None = None

    def applies(self, answers: Mapping[str, str]) -> bool:
        """True if the question applies after these ``answers``."""
        return self.only_if is None or answers[self.only_if[0]] in self.only_if[1]


QUESTIONS = (
    Question("load", "what asks for I/O", ("fio", "postgresql", "mysql", "oracle")),
    Question("filesystem", "the file system", ("xfs", "ext4", "zfs", "none")),
    Question("access", "of files: past the page cache, or through it", ("direct", "buffered")),
    Question("network", "between the host and its storage", ("none", "nfs", "nvme-tcp")),
    Question("redundancy", "of the data", ("none", "mirror", "stripe", "replicas")),
    Question(
        "members",
        "of the mirror or stripe, or copies",
        ("2", "3", "4", "6", "8", "12"),
        ("redundancy", ("mirror", "stripe", "replicas")),
    ),
    Question(
        "device",
        "what holds the data; a cloud-volume begins as a gp3 of AWS",
        ("nvme", "sata-ssd", "disk", "cloud-volume"),
    ),
    Question(
        "protected",
        "whether the drive keeps its cache when the power fails",
        ("yes", "no"),
        ("device", ("nvme", "sata-ssd", "disk")),
    ),
    Question(
        "log",
        "of zfs: on the pool, or on a device of its own (SLOG)",
        ("pool", "device"),
        ("filesystem", ("zfs",)),
    ),
)

_FIO = """[settings]
jobs = { default = 4, range = [1, 1024], help = "processes" }
depth = { default = 1, range = [1, 1024], help = "requests in flight of each" }
block = { default = "16KiB", help = "bytes of a request" }
op = { default = "read", options = ["read", "write", "mixed"], help = "what they do, at random" }
"""

_SESSIONS = """[settings]
sessions = { default = 8, range = [1, 1000], help = "sessions, each committing one transaction after another" }
"""

_COMMITS = """[load]
clients = "sessions"
block = "8KiB"
op = "write"
durable = "data"
counted = "commits"
files = "shared"
"""

_LINK = '[[layer]]\nkind = "link"\nbandwidth = "network"\nround_trip = "round_trip"\n'
_NFS = f'[[layer]]\nkind = "nfs"\n\n{_LINK}\n[[layer]]\nkind = "nfsd"\n'

_SSD = """[[layer]]
kind = "ssd"
latency = { read = "read", write = "write" }
bandwidth = "bandwidth"
flush = "flush"
"""

_VOLUME = """[[layer]]
kind = "limits"
iops = "iops"
bandwidth = "bandwidth"

[[layer]]
kind = "ssd"
latency = "latency"
units = 4096
placement = "free"
bandwidth = "unlimited"
flush = "0us"
"""

_RATES = {"nvme": "3.2GB/s", "sata-ssd": "0.53GB/s"}
"""Bandwidth of reads, and of writes, that the interface or the drive allows; assumed."""


def stack_text(answers: Mapping[str, str]) -> str:
    """The stack file for ``answers``, one for each question.

    Raises:
        InputError: the answers are incompatible.
    """
    _check(answers)
    load = answers["load"]
    title = " ".join(_title(answers))
    pieces = [f'title = "{title}"\n', _FIO if load == "fio" else _SESSIONS, "\n".join(_parameters(answers))]
    return "\n".join([*pieces, *_load(load), *_layers(answers)])


def _load(load: str) -> Iterator[str]:
    if load == "fio":
        yield '[load]\nclients = "jobs"\ndepth = "depth"\nblock = "block"\nop = "op"\n'
        return
    yield _COMMITS
    kind = "log writer" if load == "oracle" else "commits"
    database = "" if load == "oracle" else f'database = "{load}"\n'
    yield f'[[layer]]\nkind = "{kind}"\n{database}cpu = "cpu"\ncores = "cores"\n'


def _check(answers: Mapping[str, str]) -> None:
    cached = answers["filesystem"] in ("xfs", "ext4") and answers["load"] == "fio"
    if answers["access"] == "buffered" and not cached:
        raise InputError(
            "access is 'buffered', which is for fio on xfs or ext4: zfs has its own cache, and databases sync "
            "what they write; answer direct"
        )
    if answers["log"] == "device" and answers["filesystem"] != "zfs":
        raise InputError(
            f"log is 'device', and filesystem is '{answers['filesystem']}'; only zfs has one: answer pool"
        )
    if answers["network"] == "nfs" and answers["filesystem"] == "none":
        raise InputError("network is 'nfs', and filesystem is 'none'; name the file system of the server")


def _title(answers: Mapping[str, str]) -> Iterator[str]:
    yield answers["load"]
    if answers["filesystem"] != "none":
        yield f"on {answers['filesystem']}"
    if answers["redundancy"] != "none":
        yield f"over a {answers['redundancy']} of {answers['members']}"
    yield f"over {answers['device']}"
    if answers["network"] != "none":
        yield f"by {answers['network']}"


def _parameters(answers: Mapping[str, str]) -> Iterator[str]:
    """Yield parameters that the layers name, at the priors of their kinds if there are any."""
    yield "[parameters]"
    if answers["load"] != "fio":
        yield 'cpu = { value = "200us", bounds = ["10us", "1s"], range = ["100us", "500us"], source = "a guess" }'
        yield 'cores = { value = 8, bounds = [1, 1024], range = [4, 64], source = "a guess: a database server" }'
    if answers["network"] != "none":
        yield (
            'network = { value = "2.94GB/s", bounds = ["0.1GB/s", "50GB/s"], range = ["2.8GB/s", "3GB/s"], '
            'source = "25 Gb/s Ethernet, TCP" }'
        )
        yield 'round_trip = { prior = "tcp.round_trip" }'
    if answers["device"] == "disk":
        yield (
            'seek = { value = "8.5ms", bounds = ["1ms", "30ms"], range = ["7ms", "10ms"], '
            'source = "data sheets: average" }'
        )
        yield (
            'bandwidth = { value = "250MB/s", bounds = ["10MB/s", "600MB/s"], range = ["180MB/s", "280MB/s"], '
            'source = "data sheets: outermost tracks" }'
        )
    elif answers["device"] == "cloud-volume":
        yield from _OF_VOLUME
    else:
        yield from _of_ssd(answers)
    if answers["log"] == "device":
        yield 'log = { prior = "ssd.write" }'
    yield ""


_OF_VOLUME = (
    'latency = { prior = "volume.write" }',
    'iops = { value = 3000, bounds = [100, 1000000], source = "provisioned: a gp3 volume" }',
    'bandwidth = { value = "125MiB/s", bounds = ["1MB/s", "100GB/s"], source = "provisioned: a gp3 volume" }',
)
"""Parameters of a cloud volume; both rates are the provisioned ones."""


def _of_ssd(answers: Mapping[str, str]) -> Iterator[str]:
    rate = _RATES[answers["device"]]
    yield 'read = { prior = "ssd.read" }'
    yield 'write = { prior = "ssd.write" }'
    if answers["log"] == "pool":
        yield f'flush = {{ prior = "ssd.{"protected-flush" if answers["protected"] == "yes" else "flush"}" }}'
    yield (
        f'bandwidth = {{ value = "{rate}", bounds = ["0.1GB/s", "20GB/s"], range = ["{_scaled(rate, 0.8)}", '
        f'"{_scaled(rate, 1.6)}"], source = "a guess" }}'
    )


def _scaled(rate: str, factor: float) -> str:
    return f"{float(rate.removesuffix('GB/s')) * factor:.3g}GB/s"


def _layers(answers: Mapping[str, str]) -> Iterator[str]:
    if answers["network"] == "nfs":
        yield _NFS
    yield from _files(answers)
    if answers["network"] == "nvme-tcp":
        yield _LINK
    count = answers["members"]
    if answers["redundancy"] == "replicas":
        yield f'[[layer]]\nkind = "replicas"\ncopies = {count}\n'
    elif answers["redundancy"] != "none":
        yield f'[[layer]]\nkind = "{answers["redundancy"]}"\ncount = {count}\n'
    cache = "" if answers["protected"] == "yes" else 'cache = "64MiB"\n'
    disk = f'[[layer]]\nkind = "disk"\nseek = "seek"\nbandwidth = "bandwidth"\n{cache}'
    ssd = _SSD if answers["log"] == "pool" else _SSD.replace('flush = "flush"\n', "")
    yield {"disk": disk, "cloud-volume": _VOLUME}.get(answers["device"], ssd)


def _files(answers: Mapping[str, str]) -> Iterator[str]:
    """Yield the file system and its cache, with a journal if the load syncs."""
    name = answers["filesystem"]
    if name == "zfs":
        log = 'log = "log"\n' if answers["log"] == "device" else ""
        yield f'[[layer]]\nkind = "zfs"\n{log}'
    elif name != "none":
        yield f'[[layer]]\nkind = "file"\nfilesystem = "{name}"\naccess = "{answers["access"]}"\n'
        if answers["access"] == "buffered":
            yield '[[layer]]\nkind = "page cache"\n'
        yield f'[[layer]]\nkind = "journal"\nfilesystem = "{name}"\n'
