"""The published figures of TPC-C: spot values typed by hand, counts, and that conditions are settings."""

from __future__ import annotations

import pytest

from models.systems.tpcc import TPCC
from sim.data.package import DataPackage
from sim.system.settings import complete

TYPED = {
    "tpcc-volumes": {
        "InnoDB, 1,000 IOPS/mean of the last half": 24.1,
        "InnoDB, 8,000 IOPS/mean": 309.38,
        "MyRocks, 4,000 IOPS/mean of the last half": 503.3,
    },
    "tpcc-pool": {
        "SM863 SATA, pages of 16k/5 GB, NOTPM x 23 / 600": 14_709.69 * 23 / 600,
        "850 PRO SATA, pages of 16k/115 GB, NOTPM x 23 / 600": 39_469.34 * 23 / 600,
        "SM863 SATA, pages of 4k/65 GB, NOTPM x 23 / 600": 220_569.86 * 23 / 600,
    },
    "tpcc-binlog": {
        "binary log synced at each commit/10 GB": 1246.6,
        "no binary log/80 GB": 5935.4,
        "no binary log/80 GB, again": 5929.6,
    },
}
"""Row/column and value as the sources print them; 10 of 23 transactions are the new orders of a minute."""

COUNTS = {"tpcc-volumes": 32, "tpcc-pool": 20, "tpcc-binlog": 14}


@pytest.mark.parametrize("dataset", TYPED)
def test_figures_typed_by_hand(calibration_data, dataset):
    figures = DataPackage(calibration_data).read(dataset).measurements
    values = {each.name: each.value for each in figures}
    assert {name: values[name] for name in TYPED[dataset]} == pytest.approx(TYPED[dataset], rel=1e-6)
    assert len(values) == len(figures) == COUNTS[dataset]
    for each in figures:
        asked = complete(TPCC.settings, dict(each.conditions))
        assert (
            asked["study"] == {"tpcc-volumes": "volumes", "tpcc-pool": "drives", "tpcc-binlog": "binlog"}[dataset]
        )
