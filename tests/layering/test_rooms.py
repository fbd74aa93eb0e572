"""Inside each part the rooms keep their order, and no files import each other."""

import pytest

from tests.layering.graph import Graph, figures
from tests.layering.rooms import (
    ROOMS,
    ROOMS_WITHOUT_CIRCLES,
    WITHOUT_CIRCLES,
    circle_breaches,
    room_breaches,
    rooms_of,
)
from tests.layering.sources import file_imports


@pytest.mark.parametrize("part", ROOMS)
def test_rooms_import_only_what_lies_below(part: str) -> None:
    files = file_imports(part)
    found = list(room_breaches(part, files, ROOMS[part]))
    assert len(files) > 5
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize("part", WITHOUT_CIRCLES)
def test_no_files_import_each_other(part: str) -> None:
    files = file_imports(part)
    found = list(circle_breaches(part, files))
    assert len(files) > 5
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize("part", ROOMS_WITHOUT_CIRCLES)
def test_no_rooms_import_each_other(part: str) -> None:
    rooms = rooms_of(file_imports(part))
    found = list(circle_breaches(part, rooms))
    assert len(rooms) > 5
    assert not found, "\n".join(["", *found])


LAYERS = (("low",), ("left", "right"), ("top.py",))


@pytest.mark.parametrize(
    "files",
    [
        {"low/a.py": {"left/a.py"}, "left/a.py": set()},
        {"left/a.py": {"right/a.py"}, "right/a.py": set()},
        {"left/a.py": {"top.py"}, "top.py": set()},
        {"elsewhere/a.py": set()},
        {"left/a.py": {"elsewhere/a.py"}, "elsewhere/a.py": set()},
    ],
)
def test_a_breach_between_rooms_is_found(files: Graph) -> None:
    assert list(room_breaches("part", files, LAYERS))


def test_what_lies_below_may_be_imported() -> None:
    files = {
        "top.py": {"left/a.py", "low/a.py"},
        "left/a.py": {"left/b.py"},
        "left/b.py": {"low/a.py"},
        "low/a.py": set(),
    }
    assert list(room_breaches("part", files, LAYERS)) == []


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
    assert "queues/queue_process.py" in files["queues/queue_mail.py"]
    assert "commands/__init__.py" not in files
