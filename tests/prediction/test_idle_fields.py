"""Fields of a stack file that do nothing beside the others are told, and no other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import models.stacks
from sim.engine.errors import StackFileError
from sim.prediction.idle_fields import idle_fields
from sim.prediction.prediction import predict
from sim.system.installed import find
from sim.system.stack.build import stack_system

ROOT = Path(__file__).parents[2]
FILES = [*Path(models.stacks.__file__).parent.glob("*.toml"), *(ROOT / "docs" / "stacks").glob("*.toml")]

HEAD = 'title = "one"\n'
SSD = '[[layer]]\nkind = "ssd"\n'
ZFS = '[[layer]]\nkind = "zfs"\n'
WRITES = '[load]\nop = "write"\ndurable = "all"\n'
SYNC = '[settings]\nsync = { default = "disabled", options = ["standard", "disabled"] }\n'


@pytest.fixture
def read(tmp_path):
    """Read a stack file of these parts."""

    def system(*parts):
        path = tmp_path / "one.toml"
        path.write_text(HEAD + "".join(parts))
        return stack_system(path)

    return system


IDLE = {
    "durable reads": (
        ['[load]\ndurable = "all"\n', SSD],
        "line 3: 'clients' has durable = all, which does nothing with op = read; leave it out, or let op be write",
    ),
    "a share of reads among writes": (
        ['[load]\nop = "write"\nread_share = 0.7\n', SSD],
        "line 4: 'clients' has read_share = 0.7, which does nothing with op = write; leave it out, or let op be",
    ),
    "a log device without a log": (
        [WRITES, ZFS, 'sync = "disabled"\nlog = "20us"\n', SSD],
        "line 8: 'zfs' has log = 20us, which does nothing with sync = disabled; leave it out, or let sync be",
    ),
    "flushes that never come": (
        [WRITES, ZFS, 'sync = "disabled"\n', SSD, 'flush = "1ms"\n'],
        "line 10: 'ssd' has flush = 1ms, which does nothing in this stack; leave it out",
    ),
}

USED = {
    "a rate of writes beside reads": ['[load]\nop = "read"\n', SSD, 'write_bandwidth = "1GB/s"\nflush = "1ms"\n'],
    "a log device where one setting has a log": [SYNC, WRITES, ZFS, 'sync = "sync"\nlog = "20us"\n', SSD],
    "one file for a client of whom there may be two": [
        '[settings]\nusers = 1\n[load]\nclients = "users"\nfiles = "shared"\n',
        SSD,
    ],
    "what is the default of another layer": ['[[layer]]\nkind = "fuse"\ncopy = "5GB/s"\nwake = "5us"\n', SSD],
}


@pytest.mark.parametrize(("parts", "told"), IDLE.values(), ids=IDLE)
def test_unused_field_is_reported_with_its_line_and_remedy(read, parts, told):
    (line,) = idle_fields(read(*parts))
    assert told in line


@pytest.mark.parametrize("parts", USED.values(), ids=USED)
def test_a_field_used_in_some_model_of_the_file_is_not_reported(read, parts):
    assert not idle_fields(read(*parts))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_shipped_files_have_no_unused_fields(path):
    assert not idle_fields(stack_system(path))


def test_prediction_notes_unused_fields(read):
    prediction = predict(read(*IDLE["durable reads"][0]), {}, intervals=False)
    assert any(IDLE["durable reads"][1] in note for note in prediction.notes)


def test_a_mount_of_nfs_needs_a_server_below_it(read):
    mount, server = ('[[layer]]\nkind = "nfs"\n', '[[layer]]\nkind = "nfsd"\n')
    with pytest.raises(StackFileError, match="line 2: 'nfs' needs a server of NFS below it; add"):
        predict(read(mount, SSD), {})
    with pytest.raises(StackFileError, match="line 4: 'nfs' needs a server of NFS below it"):
        predict(read(server, mount, SSD), {})
    assert predict(read(mount, server, SSD), {}, intervals=False).throughput.known


def test_a_stack_with_fewer_settings_has_notes_of_its_own():
    gp3 = find("gp3")
    few = [replace(each, options=(each.default,)) if each.name == "credits" else each for each in gp3.settings]
    spent = replace(gp3, settings=replace(gp3.settings, entries=tuple(few)))
    assert "has hardware = m5.large, which does nothing" in "".join(idle_fields(spent))
    assert idle_fields(gp3) == ()
