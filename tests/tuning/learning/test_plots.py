"""The pictures of learning."""

import pytest

from engine.search.params import Param
from tuning.learning.plots import trajectory_figure


@pytest.mark.parametrize("count", [1, 3, 4, 14])
def test_each_parameter_has_a_panel_and_no_panel_is_empty(count: int) -> None:
    names = [f"P{number}" for number in range(count)]
    figure = trajectory_figure({name: [1.0, 2.0] for name in names}, [Param(name, 1, 0, 9, 1) for name in names])
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_title() for axes in shown] == names
    assert all(axes.lines for axes in shown)
