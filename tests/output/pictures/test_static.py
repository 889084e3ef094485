"""Charts on paper: bands are drawn while they can be told apart."""

import pytest

from sim.output.pictures import static
from sim.output.pictures.chart import Axis, Chart, Curve


@pytest.mark.parametrize(("count", "banded"), [(8, True), (9, False)])
def test_bands_of_too_many_curves_are_left_out(count, banded):
    curves = [Curve(f"curve {number}", [1.0, 2.0], [1.0, 2.0], [0.5, 1.5], [1.5, 2.5]) for number in range(count)]
    drawn = static.figure(Chart("t", Axis("x"), Axis("y"), curves, band="interval"))
    assert bool(drawn.axes[0].collections) is banded
    texts = [
        text.get_text()
        for legend in drawn.axes[0].get_children()
        if hasattr(legend, "get_texts")
        for text in legend.get_texts()
    ]
    assert ("interval" in texts) is banded


def test_numbers_along_an_axis_have_the_digits_that_they_need():
    drawn = static.figure(Chart("t", Axis("x"), Axis("y"), [Curve("c", [1.0, 2.0], [10025.0, 40000.0])]))
    write = drawn.axes[0].yaxis.get_major_formatter()
    assert [write(value) for value in (10025.0, 40000.0, 0.1 + 0.2)] == ["10,025", "40,000", "0.3"]
