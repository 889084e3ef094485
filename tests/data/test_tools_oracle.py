"""AWR and Statspack reports: what they say of commits, log writes and reads, and what is refused."""

from __future__ import annotations

import pytest

from sim import InputError
from sim.data.importers import tools
from sim.data.importers.oracle_tables import rows
from tool_files import FOLDER, changed, refusal, told, values


def test_report_of_19c_is_read():
    found = values("awr19.txt")
    assert found["", "throughput", "transactions/s"] == 5000.2
    assert found["", "log_file_sync", "s"] == pytest.approx(3171.2 / 3_020_004)
    assert found["", "log_write", "s"] == pytest.approx(610e-6)
    assert found["", "buffer_busy", "s"] == pytest.approx(37.12e-6)
    assert found["", "db_file_sequential_read", "s"] == pytest.approx(520.83e-6)
    assert found["", "ordering", "s"] == pytest.approx(149.01e-6)
    assert found["", "log_file_sync_share", "%"] == 87.9
    assert found["", "log_write_share", "%"] == 58.1
    assert found["", "db_cpu_share", "%"] == 8.4
    assert found["", "user_commits", "commits/s"] == 5000.2
    assert found["", "writes_in_flight", "writes"] == pytest.approx(854 / 604.2)
    assert found["", "commits_per_write", "commits"] == pytest.approx(3_020_004 / 1_400_310)
    assert found["", "log_write_rate", "waits/s"] == pytest.approx(1_400_310 / 604.2)


def test_every_figure_knows_its_line_and_the_redo_of_a_transaction():
    found = told("awr19.txt")
    assert {key[1]: each.line for key, each in found.items() if key[1] in ("throughput", "log_write")} == {
        "throughput": 28,
        "log_write": 58,
    }
    assert all(each.settings == {"redo": "610"} for each in found.values())


def test_half_width_of_a_mean_follows_from_the_report():
    sync = told("statspack11.txt")["", "log_file_sync", "s"]
    assert sync.value == pytest.approx(2520 / 1_799_650)
    assert sync.half_width == pytest.approx(0.5 / 1_799_650, rel=0.01)
    assert told("awr19.txt")["", "log_write", "s"].half_width == pytest.approx(5e-9)


def test_rounding_errors_propagate_to_derived_figures():
    each = told("awr19.txt")["", "commits_per_write", "commits"]
    assert each.half_width == pytest.approx(0.5 / 1_400_310 * (1 + 3_020_004 / 1_400_310))
    in_flight = told("awr19.txt")["", "writes_in_flight", "writes"]
    assert in_flight.half_width == pytest.approx(854 / 604.2 * (0.3 / 604.2 + 0.5 / 854))


def test_histograms_say_between_which_bounds_a_percentile_lies():
    found = told("awr19.txt")
    p50, p99 = found["", "log_file_sync_p50", "s"], found["", "log_file_sync_p99", "s"]
    assert (p50.value - p50.half_width, p50.value + p50.half_width) == (0.0, 1e-3)
    assert (p99.value - p99.half_width, p99.value + p99.half_width) == pytest.approx((2e-3, 4e-3))
    assert told("statspack11.txt")["", "log_file_sync_p50", "s"].value == pytest.approx(1.5e-3)


def test_layouts_of_10g_and_statspack_are_read():
    old, pack = values("awr10.txt"), values("statspack11.txt")
    assert old["", "throughput", "transactions/s"] == 100.0
    assert old["", "log_file_sync", "s"] == pytest.approx(1516 / 361_010)
    assert old["", "db_file_sequential_read", "s"] == pytest.approx(2615 / 402_310)
    assert old["", "log_write", "s"] == pytest.approx(981 / 350_422)
    assert ("", "log_file_sync_share", "%") not in old  # which is of call time there
    assert pack["", "throughput", "transactions/s"] == 2000.0
    assert pack["", "log_write", "s"] == pytest.approx(838 / 901_220)
    assert ("", "log_write_share", "%") not in pack


TOP_10G = """\
Top 5 Timed Events                                         Avg %Total
~~~~~~~~~~~~~~~~~~                                        wait   Call
Event                                 Waits    Time (s)   (ms)   Time Wait Class
"""
TOP_11G = """\
Top 5 Timed Foreground Events
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
                                                           Avg
                                                          wait   % DB
Event                                 Waits     Time(s)   (ms)   time Wait Class
"""


def test_first_table_of_11g_is_read(tmp_path):
    path = changed(tmp_path, "awr10.txt", TOP_10G, TOP_11G)
    found = values(path)
    assert found["", "log_file_sync", "s"] == pytest.approx(1516 / 361_010)
    assert found["", "log_file_sync_share", "%"] == 26.2


def test_tables_are_read_by_their_rulers():
    lines = (FOLDER / "awr19.txt").read_text("utf-8").splitlines()
    found = {(row.title, row.name): row.cells for row in rows(lines)}
    top = found["Top 10 Foreground Events by Total Wait Time", "log file sync"]
    assert top == {
        "Event": "log file sync",
        "Waits": "3,020,004",
        "Total Wait Time (sec)": "3171.2",
        "Avg Wait": "1.05ms",
        "% DB time": "87.9",
        "Wait Class": "Commit",
    }
    assert found["Background Wait Events", "LGWR worker group ordering"]["Waits"] == "201,330"


def test_large_counts_and_times_may_be_short(tmp_path):
    row = "log file sync                    3,020,004     3171.2    1.05ms   87.9 Commit"
    short = "log file sync                      3.0E+06       3.2K    1.05ms   87.9 Commit"
    path = changed(tmp_path, "awr19.txt", row, short)
    text = path.read_text("utf-8")
    path.write_text(
        text.replace(SYNC_19, SYNC_19.replace("3,020,004", "  3.0E+06").replace("3,171", " 3.2K")), "utf-8"
    )
    found = told(path)
    assert found["", "log_file_sync", "s"].value == pytest.approx(1.05e-3)
    assert found["", "log_file_sync", "s"].half_width == pytest.approx(5e-6)
    rate = found["", "log_file_sync_rate", "waits/s"]
    assert (rate.value, rate.half_width) == pytest.approx((3e6 / 604.2, 5e4 / 604.2), rel=0.03)


def test_lines_are_counted_as_an_editor_counts_them(tmp_path):
    path = changed(tmp_path, "awr19.txt", "Load Profile  ", "\fLoad Profile  ")
    assert told(path)["", "throughput", "transactions/s"].line == 28


SYNC_19 = "log file sync                 3,020,004     0      3,171   1.05ms      1.0   87.9"

REFUSED = {
    "a mean that waits and time contradict": (
        "awr19.txt",
        SYNC_19,
        SYNC_19.replace(" 1.05ms", "10.50ms"),
        "line 47: 3020004 waits of 3171 s, which make 0.00105, and it says 0.0105; is a figure or its unit wrong?",
    ),
    "redo that the transactions contradict": (
        "awr19.txt",
        "3,052,122.1             610.4",
        "3,052,122.1           6,104.0",
        "line 28: transactions a second and the redo of each, which make 30,520,000, and it says 3,052,000",
    ),
    "a histogram that is not whole": (
        "awr19.txt",
        "3020K  52.4",
        "3020K  32.4",
        "line 75: the shares of the histogram, which make 80, and it says 100",
    ),
    "a count of another language": (
        "awr19.txt",
        SYNC_19,
        SYNC_19.replace("3,020,004", "3.020.004"),
        "line 47: Waits is '3.020.004'; allowed: a number from 0, such as 1,234.5",
    ),
    "a mean without a unit": (
        "awr19.txt",
        SYNC_19,
        SYNC_19.replace("1.05ms", "1.05  "),
        "line 47: the mean wait is '1.05'; allowed: a time such as 1.41ms",
    ),
    "cut short": (
        "awr19.txt",
        "End of Report",
        "",
        "there is no 'End of Report' behind it; is the file cut short?",
    ),
    "without a load": (
        "awr19.txt",
        "Transactions:",
        "Transaktionen:",
        "has no 'Elapsed: … (mins)', 'Redo size: …'",
    ),
    "nothing was committed": (
        "awr10.txt",
        "         100.00",
        "           0.00",
        "in which something was committed",
    ),
    "two reports": (
        "awr10.txt",
        "End of Report",
        "WORKLOAD REPOSITORY report for\nEnd of Report",
        "several reports",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_truncated_or_contradictory_report_is_refused(tmp_path, case):
    name, old, new, said = REFUSED[case]
    assert said in refusal(changed(tmp_path, name, old, new))


def test_a_report_in_html_is_not_recognised(tmp_path):
    path = tmp_path / "awr.html"
    path.write_text("<html><head><title>AWR Report for DB: SHOP</title></head></html>\n", "utf-8")
    assert tools.tool_of(path) is None


def test_a_report_that_contradicts_its_length_or_has_more_than_all_is_refused(tmp_path):
    with pytest.raises(InputError, match="commits a second and the 'Elapsed' of the report"):
        values(changed(tmp_path, "awr19.txt", "10.07 (mins)", "100.70 (mins)"))
    with pytest.raises(InputError, match="is 879; allowed: at most 120"):
        values(changed(tmp_path, "awr19.txt", "87.9", " 879"))
