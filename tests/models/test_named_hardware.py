"""Layers of stack files that name hardware, and models that state what the catalogue says."""

from __future__ import annotations

import math

import pytest

from models.parts.cell import CELL_BYTES_PER_S
from models.parts.link.fabrics import FABRICS, INFINIBAND_BYTES_PER_S
from models.parts.link.link import ETHERNET_PAYLOAD, Link
from models.stacks import GP3
from models.systems.exadata_ctas import EXADATA_CTAS
from models.systems.zfs_ufs import ZFS_UFS
from sim.data.hardware import hardware
from sim.engine.errors import StackFileError
from sim.system.case import Case
from sim.system.stack.build import stack_system

STACK = """\
title = "one link, a volume and a drive"

[settings]
users = 2
fabric = { default = "fc-2", options = ["fc-2", "fc-4"] }

[load]
clients = "users"
block = "1MiB"

[[layer]]
kind = "link"
hardware = "fabric"
header = 0

[[layer]]
kind = "limits"
hardware = "gp2-100gib"

[[layer]]
kind = "ssd"
hardware = "optane-p4800x"
"""


@pytest.fixture
def stack(tmp_path):
    def made(text=STACK):
        path = tmp_path / "ours.toml"
        path.write_text(text)
        return stack_system(path)

    return made


def layers(system, **settings):
    """The layers, from top to bottom."""
    build, values = system.build, {each.name: each.default for each in system.settings}
    names = {**values, **vars(system.parameters.values), **settings}
    return [entry.made("stacksim.layers", names) for entry in build.layers]


def test_fields_left_out_are_those_of_the_hardware(stack):
    link, limits, ssd = layers(stack())
    assert link.bandwidth == 212.5e6
    assert (limits.iops, limits.burst_iops, limits.iops_credits) == (300, 3000, 5_400_000)
    assert (limits.bandwidth, limits.burst_bandwidth, limits.bandwidth_credits) == (128 << 20, math.inf, 0)
    assert (ssd.bandwidth, ssd.write_bandwidth) == (2.4e9, 2.0e9)
    assert (ssd.iops, ssd.write_iops) == (550_000, 500_000)
    assert ssd.latency.at("read", 4096) == 10e-6
    assert layers(stack(), fabric="fc-4")[0].bandwidth == 425e6, "a setting may name it"


def test_a_volume_of_unknown_limit_is_unlimited(stack):
    """And not that of another one: the defaults of the layer are those of gp3."""
    limits = layers(stack(STACK.replace("gp2-100gib", "pd-extreme")))[1]
    assert (limits.iops, limits.bandwidth) == (math.inf, 4000 << 20)


def test_values_in_the_file_override_the_hardware(stack):
    text = STACK.replace("header = 0", 'bandwidth = "100MB/s"').replace('"gp2-100gib"', '"gp2-100gib"\niops = 50')
    link, limits, _ = layers(stack(text))
    assert link.bandwidth == 100e6
    assert (limits.iops, limits.burst_iops) == (50, 3000)


@pytest.mark.parametrize(("date", "iops"), [("2024", 16_000), ("2025-09-26", 80_000), (None, 80_000)])
def test_a_date_chooses_among_limits(stack, date, iops):
    written = f'"gp3"\ndate = "{date}"' if date else '"gp3"'
    assert layers(stack(STACK.replace('"gp2-100gib"', written)))[1].iops == iops


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"optane-p4800x"',
            '"optane-p4800"',
            "line 22: no hardware 'optane-p4800'; did you mean 'optane-p4800x'?",
        ),
        ('"optane-p4800x"', "7", "line 22: hardware is '7'; allowed: a name of `stacksim hardware`, such as fc-2"),
        (
            '"optane-p4800x"',
            '"sun-3510"',
            "line 20: 'ssd': hardware 'sun-3510' has no iops, bandwidth, typical_lat",
        ),
        (
            '"gp2-100gib"',
            '"gp3"\ndate = "2025-99"',
            "line 19: date is '2025-99'; allowed: a year, a month or a day",
        ),
        (
            '"gp2-100gib"',
            '"gp3"\ndate = 2025',
            "line 19: date is '2025'; allowed: a year, a month or a day in quotes",
        ),
        ('hardware = "gp2-100gib"', 'date = "2025"', "line 16: 'limits': a date is given, and no hardware"),
        ('"gp2-100gib"', '"m5.large"\nburst_iops = "x"', "line 19: burst_iops is 'x'"),
    ],
)
def test_a_wrong_name_or_date_is_one_line_with_its_place(stack, old, new, message):
    system = stack(STACK.replace(old, new))
    with pytest.raises(StackFileError) as caught:
        Case.of(system, {}).scenario  # noqa: B018  (it is made when it is asked for)
    text = str(caught.value)
    assert message in text
    assert len(text.splitlines()) == 1


def test_gp3_has_the_credits_that_it_had_when_they_stood_in_the_file():
    """Equal to the last bit: (18,750 - 3,600) x 1,800 I/Os, and (593.75 - 81.25) MB/s for as long."""
    instance = layers(GP3)[0]
    assert (instance.iops_credits, instance.bandwidth_credits) == (27_270_000, 922_500_000_000)
    assert isinstance(instance.iops_credits, int)
    m5 = hardware("m5.large")
    parameters = vars(GP3.parameters.values)
    assert parameters["instance_iops"] == m5.limit("iops").value
    assert parameters["instance_burst_iops"] == m5.limit("burst_iops").value
    assert parameters["instance_throughput"] == m5.limit("bandwidth").value
    assert parameters["instance_burst_throughput"] == m5.limit("burst_bandwidth").value
    (iops,) = (each for each in GP3.settings if each.name == "iops")
    assert (iops.default, iops.high) == (
        hardware("gp3-base").limit("iops").value,
        hardware("gp3").limit("iops").value,
    )
    (throughput,) = (each for each in GP3.settings if each.name == "throughput")
    assert throughput.default == hardware("gp3-base").limit("bandwidth").value
    assert throughput.high == hardware("gp3").limit("bandwidth").value


# Models that state the same.


@pytest.mark.parametrize("speed", ["fc-1", "fc-2", "fc-4", "fc-8", "fc-16", "fc-32", "fc-64"])
def test_fabrics_are_the_payload_of_full_frames_on_the_lines_of_the_catalogue(speed):
    assert FABRICS[speed].bytes_per_s == pytest.approx(hardware(speed).limit("bandwidth").value * 2112 / 2172)


def test_a_link_by_default_is_tcp_on_the_line_of_the_catalogue():
    assert Link().bandwidth == pytest.approx(hardware("25gbe").limit("bandwidth").value * ETHERNET_PAYLOAD)


def test_no_fabric_carries_more_than_its_line():
    assert FABRICS["gbe-1"].bytes_per_s < hardware("gbe").limit("bandwidth").value
    for speed in (10, 25, 40, 50, 100, 200, 400):
        line = hardware(f"{speed}gbe").limit("bandwidth").value
        assert FABRICS[f"gbe-{speed}"].line_bytes_per_s == pytest.approx(line)
        assert 0.8 * line < FABRICS[f"gbe-{speed}"].bytes_per_s < line
    roce, line = FABRICS["roce-100"], hardware("100gbe").limit("bandwidth").value
    assert FABRICS["gbe-100"].bytes_per_s < roce.bytes_per_s < roce.line_bytes_per_s == pytest.approx(line)
    assert roce.dma
    for name, both_ways in INFINIBAND_BYTES_PER_S.items():
        assert both_ways < hardware(f"ib-{name}").limit("duplex_bandwidth").value


def test_the_machines_of_the_sources_are_those_of_the_catalogue():
    card = hardware("exadata-v1-hca").limit("duplex_bandwidth").value
    assert INFINIBAND_BYTES_PER_S["ddr"] == card
    for name, bytes_per_s in CELL_BYTES_PER_S.items():
        assert bytes_per_s == hardware(f"exadata-{name}-cell").limit("bandwidth").value
    assert hardware("exadata-v1").limit("bandwidth").value == 14 * CELL_BYTES_PER_S["v1"]
    assert (
        EXADATA_CTAS.parameters.values.revolution_s / 2 == hardware("cheetah-15k5").limit("latency", "read").value
    )


def test_the_disk_of_zfs_and_ufs_is_that_of_the_catalogue():
    disk, parameters = hardware("barracuda-7200-7"), ZFS_UFS.parameters.values
    assert parameters.disk_bytes_per_s == pytest.approx(disk.limit("bandwidth").value)
    assert parameters.rotation_s == pytest.approx(disk.limit("latency", "read").value, rel=1e-3)
    assert parameters.bus_bytes_per_s == pytest.approx(hardware("sata-1").limit("bandwidth").value)
