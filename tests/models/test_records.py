"""Blocks in records: what they touch and what they leave part of, counted."""

from hypothesis import given
from hypothesis import strategies as st

from models.parts.zfs.records import cut, touched_bytes

SIZES = st.integers(1, 200)


@given(SIZES, SIZES)
def test_records_touched_by_sequential_blocks_equal_the_formulas(block, record):
    touched = whole = 0
    for start in range(0, block * record, block):
        end = start + block
        first, last = start // record, (end - 1) // record
        touched += last - first + 1
        whole += max(0, end // record - -(-start // record))
    cuts, of_bytes = cut(block, record)
    assert touched == touched_bytes(block, record)
    assert (touched - whole) * of_bytes == cuts * block * record


def test_aligned_blocks_cut_no_record_and_smaller_ones_cut_one_each():
    assert cut(32, 8)[0] == 0
    assert cut(8, 32) == (4, 32)
