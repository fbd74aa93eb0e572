"""No files import each other, and the figures of a graph of imports are right."""

import pytest

from tests.layering.graph import figures
from tests.layering.rooms import WITHOUT_CIRCLES, circle_breaches, rooms_of
from tests.layering.sources import file_imports


@pytest.mark.parametrize("part", WITHOUT_CIRCLES)
def test_no_files_import_each_other(part: str) -> None:
    files = file_imports(part)
    found = list(circle_breaches(part, files))
    assert len(files) > 5
    assert not found, "\n".join(["", *found])


def test_a_circle_is_found() -> None:
    assert list(circle_breaches("part", {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}))
    assert list(circle_breaches("part", {"a": {"b", "c"}, "b": {"c"}, "c": set()})) == []


def test_a_circle_of_rooms_is_found_where_no_files_import_each_other() -> None:
    files = {
        "left/a.py": {"right/b.py"},
        "right/b.py": set(),
        "right/c.py": {"left/d.py"},
        "left/d.py": set(),
    }
    assert list(circle_breaches("part", files)) == []
    assert list(circle_breaches("part", rooms_of(files))) == ["in part these import each other: left, right"]


def test_figures_count_layers_and_what_runs_upwards() -> None:
    found = figures({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()})
    assert (found.nodes, found.edges, found.layers) == (4, 4, 2)
    assert (found.upwards, found.circles) == ([("b", "c")], [["b", "c"]])


def test_imports_of_a_real_folder_are_read() -> None:
    files = file_imports("engine/broker")
    assert "queues/queue_process.py" in files["queues/deliveries.py"]
    assert "commands/__init__.py" not in files
