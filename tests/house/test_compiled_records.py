"""The copy that `make compiled` compiles: records stay as they are beside their module, the rest is taken."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from playground.hosting.session_files import build_of
from tools.compiled import needs_python
from tools.compiled_pickles import ASKED, FUTURE, let_pickle
from tools.compiled_records import put_beside

SOURCE = '''"""A module."""

from __future__ import annotations

import msgspec

SCALE = 3
OTHER = 4


class Row(msgspec.Struct, frozen=True):
    """A record."""

    start: int

    @property
    def scaled(self) -> int:
        return _scaled(self.start)


def _scaled(start: int) -> int:
    return start * SCALE


def other() -> int:
    return OTHER


class Table:
    def first(self) -> Row:
        raise ValueError(Row(7).scaled)
'''
TRY = """
import pickle, traceback
from rows import Row, Table
try:
    Table().first()
except ValueError as error:
    print(error, traceback.extract_tb(error.__traceback__)[-1].lineno)
assert pickle.loads(pickle.dumps(Row(2))) == Row(2)
print(Row.__module__, b"rows_records" in pickle.dumps(Row(2)))
"""


def run(place: Path) -> str:
    """Return what a program prints that uses the module."""
    done = subprocess.run([sys.executable, "-c", TRY], cwd=place, capture_output=True, text=True, check=True)
    return done.stdout


def test_records_move_with_what_they_name_and_the_module_is_the_same_to_who_uses_it(tmp_path: Path) -> None:
    module = tmp_path / "rows.py"
    module.write_text(SOURCE)
    before = run(tmp_path)
    assert put_beside(module, "rows")
    left, records = module.read_text(), (tmp_path / "rows_records.py").read_text()
    assert "class Row" not in left
    assert "from rows_records import Row, SCALE, _scaled" in left
    assert "class Table" in left
    assert "OTHER = 4" in left
    assert "OTHER" not in records
    assert (
        run(tmp_path)
        == before
        == f"21 {SOURCE.splitlines().index('        raise ValueError(Row(7).scaled)') + 1}\nrows False\n"
    )


def test_a_module_without_records_stays(tmp_path: Path) -> None:
    module = tmp_path / "plain.py"
    module.write_text("def one() -> int:\n    return 1\n")
    assert put_beside(module, "plain")
    assert module.read_text() == "def one() -> int:\n    return 1\n"
    assert list(tmp_path.iterdir()) == [module]


def test_a_module_of_nothing_else_is_not_compiled(tmp_path: Path) -> None:
    module = tmp_path / "only.py"
    source = "import msgspec\n\n\nclass Row(msgspec.Struct, frozen=True):\n    start: int\n"
    module.write_text(source)
    assert not put_beside(module, "only")
    assert module.read_text() == source


def test_what_a_compiled_class_makes_can_be_pickled_and_lines_keep_their_numbers(tmp_path: Path) -> None:
    module = tmp_path / "rows.py"
    module.write_text(
        SOURCE + "\n\nclass Port(Protocol):\n    pass\n\n\n# Why.\n@final\nclass Last:\n    pass\n"
    )
    before = module.read_text().splitlines()
    put_beside(module, "rows")
    let_pickle(module)
    after = module.read_text().splitlines()
    assert len(after) == len(before)
    asked = [after[at + 1] for at, line in enumerate(after) if line == ASKED]
    assert asked == ["class Table:", "@final"]
    assert after[before.index(FUTURE)] == f"{FUTURE}; from mypy_extensions import mypyc_attr"


def test_a_checkpoint_of_the_sources_is_none_of_the_compiled_engine(tmp_path: Path) -> None:
    """Each passes over the other's, and plays the run from its beginning: pickles name classes by where they lie."""
    sources, copy = tmp_path / "engine", tmp_path / "compiled"
    for each in (sources, copy):
        each.mkdir()
        (each / "rows.py").write_text(SOURCE)
    assert build_of(copy) == build_of(sources)
    let_pickle(copy / "rows.py")
    assert build_of(copy) != build_of(sources)


def test_a_module_stays_whose_whole_numbers_the_compiler_would_make_floats() -> None:
    """What a metric counts is written as JSON: 12 and 12.0 are two texts."""
    assert needs_python(ast.parse("def add(answer: float) -> None: ..."))
    assert needs_python(ast.parse("class Share:\n    def of(self) -> float: ..."))
    assert not needs_python(ast.parse("def add(answer: int) -> float | None: ..."))
