"""Each physical thing is one part, in `models/parts`, which the systems wire: read from the code, not from words.

What a system has of its own is listed here with the reason; what is listed and no longer there fails as well.
"""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "models"
PLACES = {"Station", "Lock", "Pool", "Buffer", "Gate", "Cache"}
STEPS = {
    *("Use", "Delay", "Hold", "Put", "Take", "Fork", "Await", "Gather", "Wake", "Choose", "Lookup", "Repeat"),
    "IfAny",
}

LAYERS = {
    "array/system.py OnPaths": "a request that says its pages, for which `Link` has no words; no frames are known",
    "block_store/system.py JournaledWrites": "small writes into a journal first, by a number that one study fits",
    "nvme/system.py _AnyOf": "fio takes a drive for each read, which lie beside one another: no stripe",
    "tpcc/system.py _Drive": "one drive; times of pages are fitted to a mix of reads and writes",
    "tpcc/system.py _Latency": "a volume of which only the limits matter",
    "shared_file/fio_on_flash.py _OneAfterTheOther": "fitted: what no two writes of one machine do at once",
    "shared_file/fio_on_flash.py _OfTheFile": "a request of the published systems becomes one of stack files",
}
"""Layers of a system, which no part is."""

MECHANISMS = {
    "array/system.py OnPaths.path": "as the layer above",
    "array/system.py _loaded": "a clock that ends the run",
    "block_store/system.py JournaledWrites.path": "as the layer above",
    "block_store/system.py _Store.jobs": "fitted: a request on its way through a network block device",
    "cubefs/cluster.py Cluster.copied": "fitted: the bytes of all processes of a client, one after the other",
    "dbfs/files.py _FilesCluster.namespace": "a system call that moves data",
    "dbfs/files.py _FilesCluster.df": "until the next query",
    "exadata/system.py _Rack._before": "what a database server does before it writes; only rates are known",
    "file_sync/system.py _Host._sync": "the time of a sync, which fio reports apart",
    "nvme/system.py _AnyOf.path": "as the layer above",
    "raft_sql/system.py _Database.transaction": "statements one after the other",
    "raft_sql/system.py _Database._statement": "the way to a database, and its work",
    "raft_sql/system.py _Database._written": "two phases of a commit, over `RaftLogs`",
    "redo/system.py _transaction": "a session's work",
    "tpcc/system.py _Drive.path": "as the layer above",
    "tpcc/system.py _Latency.path": "as the layer above",
    "tpcc/system.py _Server.on_volume": "misses of a cache that warms up; fitted: I/Os besides",
    "tpcc/system.py _Server.one_by_one": "fitted: what no two transactions do at once",
    "shared_file/fio_on_flash.py _OneAfterTheOther.path": "as the layer above",
    "shared_file/fio_on_flash.py FioOnFlash._write": "a thread submits one write after the other",
}
"""Where a system makes steps of its own."""

WIRED = {
    "array/system.py _LoadedArray.array": "controllers and pages of `CachedArray`",
    "array/system.py _LoadedArray.on_paths": "of the layer above",
    "cubefs/cluster.py Cluster.requests": "queue, cores and requests in flight of `FuseRequests`",
    "cubefs/cluster.py Cluster.copied": "of the mechanism above",
    "cubefs/cluster.py Cluster._node": "cores of `DataNode`",
    "dbfs/cluster.py Cluster.of": "of `ClusterWork`, one for all nodes, by chunk and by request",
    "dbfs/cluster.py Cluster.node": "cores, serial work, queue and threads that the parts of a node share",
    "dbfs/cluster.py Cluster.session": "of `LobSession`",
    "dbfs/cluster.py Cluster.read_ahead": "pages of `Window`",
    "dbfs/dd.py _DDCluster.file": "pages of `Window`",
    "dbfs/files.py _FilesCluster.store": "of `FileStore`",
    "dbfs/files.py _FilesCluster.namespace": "pages of `Window`, end of `WholeFile`, directory of `Namespace`",
    "dbfs/load.py _LoadCluster.process": "pages of `Window`",
    "exadata/system.py _Rack._before": "cores of a database server, of the mechanism above",
    "exadata_ctas/system.py _Host.cores": "of `BookedCores`",
    "exadata_ctas/system.py _Host.event": "sessions that `WaitEvent` counts",
    "file_sync/system.py _Host.syncs": "of the mechanism above",
    "nvme/system.py _Host._scheduled": "of `SchedulerLayer`",
    "raft_sql/system.py _Database._statement": "cores of all machines, of the mechanism above",
    "redo/system.py _log_file": "of `LockedFile` and `LogDevice`",
    "san/system.py _Host.on_lun": "dirty bytes and turn of `CachedFile`",
    "san/system.py _Host.copied": "of `CopyingCores` and `Memory`",
    "san/system.py _Host.page_cache": "dirty bytes of `CachedFile`",
    "shared_file/dd_on_lun.py DdOnLun.file": "of `LockedFile`",
    "shared_file/fio_on_flash.py FioOnFlash.processes": "a thread of the mechanism above",
    "shared_file/fio_on_flash.py FioOnFlash._file": "of `LockedFile`",
    "shared_file/fio_on_flash.py FioOnFlash._duo": "of the layer above",
    "shared_file/fio_on_flash.py FioOnFlash._nvme": "of `ExtentTree`",
    "tpcc/system.py _Drive.path": "of the layer above",
    "tpcc/system.py _Server.one_by_one": "of the mechanism above",
    "zfs_ufs/file_systems.py Files.drive": "of `WriteCache`",
    "zfs_ufs/file_systems.py Zfs.groups": "of `TransactionGroups`",
}
"""Where a system makes a place: a part that gets its place from outside shares it, or is named by the system."""

ONE_SYSTEM = {
    "array_cache.mirrored_disks": "stack files have `mirror` over `disk`; the published array has no members",
    "cached_cell": "cells of Exadata with memory, flash and disks; `cell` has those of disks alone",
    "data_nodes.node": "a data node of CubeFS",
    "data_nodes.volume": "chains of CubeFS",
    "file.extent_tree": "unwritten extents, which one published study has",
    "fuse.mount": "requests of libfuse 2 under Linux 3.0; `fuse` of stack files is of Linux 4.20 and later",
    "fuse.open_file": "a file of DBFS from open to close",
    "host.bus_adapter": "one adapter was published with its limit",
    "host.interrupts": "one run of one study held interrupts back",
    "host.pipe": "utilities that are joined by a pipe",
    "log_device": "a virtual disk that sleeps",
    "raft_log": "batches of a log that stores write for one another; no other database with one is published here",
    "ufs": "synchronous writes of UFS",
    "zfs.arc": "ZFS of 2006, beside the kind `zfs`",
    "zfs.block_pipeline": "ZFS of 2006",
    "zfs.buffers": "ZFS of 2006",
    "zfs.transaction_group": "ZFS of 2006",
}
"""Parts of which only one system is made: another one may want them, or they are that system's."""

LONG_ENOUGH = 30
"""Nodes of a syntax tree: shorter methods, such as those that call one function, are equal without harm."""


def parsed(folder):
    """(path inside the folder, syntax tree) of each of its files."""
    for path in sorted((MODELS / folder).rglob("*.py")):
        yield path.relative_to(MODELS / folder).as_posix(), ast.parse(path.read_text("utf-8"))


def functions(tree):
    """(name with its class, function) of a file."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{f.name}", f) for f in node.body if isinstance(f, ast.FunctionDef))


def calls(function, names):
    """True if it calls one of these by its bare name."""
    found = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return any(isinstance(called, ast.Name) and called.id in names for called in found)


def calling(trees, names):
    """Functions of the files that call one of these."""
    return {f"{file} {name}" for file, tree in trees for name, f in functions(tree) if calls(f, names)}


def layers(trees):
    """Classes of the files with a path."""
    return {
        f"{file} {name.removesuffix('.path')}"
        for file, tree in trees
        for name, _ in functions(tree)
        if name.endswith(".path")
    }


def modules():
    """The modules of `models` that each of its modules imports, by name."""
    trees = {f"models/{file}".removesuffix(".py").replace("/", "."): tree for file, tree in parsed(".")}
    trees = {name.removesuffix(".__init__"): tree for name, tree in trees.items()}
    imports = {}
    for name, tree in trees.items():
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        names = {f"{node.module}.{each.name}" for node in nodes for each in node.names}
        imports[name] = (names | {node.module for node in nodes}) & trees.keys()
    return imports


def users():
    """The systems and kinds of stack files that each module of `models` is in, by way of others as well."""
    imports, found = modules(), defaultdict(set)
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    roots = {name: {name.split(".")[2]} for name in imports if name.startswith("models.systems.")}
    for kind, target in tables["stacksim.layers"].items():
        roots.setdefault(target.partition(":")[0], set()).add(f"the kind {kind}")
    for root, names in roots.items():
        reached, waiting = set(), [root]
        while waiting:
            reached.add(module := waiting.pop())
            found[module] |= names
            waiting.extend(imports[module] - reached)
    return found


class _Anonymous(ast.NodeTransformer):
    """Takes away what things are called, but for classes."""

    def __init__(self):
        self.names = {}

    def _named(self, name):
        return name if name[:1].isupper() else self.names.setdefault(name, len(self.names))

    def visit_Name(self, node):
        return ast.Name(self._named(node.id))

    def visit_Attribute(self, node):
        return ast.Attribute(self.visit(node.value), self._named(f".{node.attr}"))

    def visit_arg(self, node):
        return ast.arg(self._named(node.arg))


def meaning(function):
    """Code of a function, without its names and its docstring; None if that is hardly anything."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    if sum(1 for each in body for _ in ast.walk(each)) < LONG_ENOUGH:
        return None
    anonymous = _Anonymous()
    return "".join(ast.dump(anonymous.visit(each)) for each in body)


def equal_methods(trees):
    """Sets of functions of the files that do the same."""
    found = defaultdict(set)
    for file, tree in trees:
        for name, function in functions(tree):
            found[meaning(function)].add(f"{file} {name}")
    return {frozenset(same) for what, same in found.items() if what and len(same) > 1}


@pytest.mark.parametrize(
    ("found", "listed"),
    [
        (layers(parsed("systems")), LAYERS),
        (calling(parsed("systems"), STEPS), MECHANISMS),
        (calling(parsed("systems"), PLACES), WIRED),
    ],
    ids=["layers", "mechanisms", "places"],
)
def test_parts_private_to_a_system_have_a_reason(found, listed):
    assert not found - listed.keys(), "make a part of it in models/parts, or say here why it is none"
    assert not listed.keys() - found, "no longer there"


def test_every_part_is_used_and_by_more_than_one_system_or_with_a_reason():
    """A folder is no part; those in it are."""
    found, names = users(), list(modules())
    folders = {name.rpartition(".")[0] for name in names}
    parts = [name for name in names if name.startswith("models.parts.") and name not in folders]
    assert not [part for part in parts if not found[part]], "imported by nothing"
    alone = {part.removeprefix("models.parts."): found[part] for part in parts if len(found[part]) == 1}
    of_systems = {part for part, (user,) in alone.items() if (MODELS / "systems" / user).is_dir()}
    assert not of_systems - ONE_SYSTEM.keys(), "make it of use to another one, or say here why not"
    assert not ONE_SYSTEM.keys() - of_systems, "no longer of one system, or gone"


def test_no_two_parts_do_the_same():
    assert not equal_methods(parsed("parts")), "make one of them"


DISK = """
class Device:
    def path(self, io):
        "One request."
        moved = io.size_bytes / self.bytes_per_s
        return (Hold(self.arm, Delay(self.seek_s + moved)), *self.below.path(io), Take(self.cache, io.size_bytes))
"""


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        (DISK.replace("io", "request").replace("arm", "head").replace("Device", "Drive"), True),
        (DISK.replace("One request.", "Whatever."), True),
        (DISK.replace("Take", "Put"), False),
        (DISK.replace("self.seek_s + moved", "self.seek_s"), False),
    ],
)
def test_rules_detect_violations(changed, same):
    trees = [("disk.py", ast.parse(DISK)), ("drive.py", ast.parse(changed))]
    assert bool(equal_methods(trees)) == same
    assert layers(trees[:1]) == {"disk.py Device"}
    assert calling(trees[:1], STEPS) == {"disk.py Device.path"}
    assert not calling(trees, PLACES)
