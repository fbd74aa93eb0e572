"""Known cells are computed again when what computes them changes, and only then."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from spark_jobs.engine_build import CELL, ROOT, engine_build
from spark_jobs.fingerprint import fingerprint, reached

MODULES = {
    "p/__init__.py": '"""A package."""\n',
    "p/cell.py": "from p.used import STEPS\n\n\ndef run():\n    return STEPS\n",
    "p/used.py": '"""Used."""\nfrom . import deep\nfrom p.texts import gettext_noop as _\n\nSTEPS = deep.ONE + 4\n'
    'LABEL = _("steps")\n',
    "p/texts.py": "def gettext_noop(text):\n    return text\n",
    "p/deep.py": "ONE = 1\n",
    "p/other.py": "TWO = 2\n",
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a directory with a small program: `p.cell` imports `used`, that `deep`; nobody imports `other`."""
    for name, text in MODULES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


CHANGES = {
    "a comment": ("p/used.py", lambda text: text + "# no more than that\n", False),
    "a docstring": ("p/used.py", lambda text: text.replace("Used.", "Used by the cell."), False),
    "a remark below a constant": ("p/deep.py", lambda text: text + '"""The first number."""\n', False),
    "the layout": (
        "p/cell.py",
        lambda text: text.replace("\n\n\ndef", "\n\n\n\ndef").replace("()", "( )"),
        False,
    ),
    "a text for people": ("p/used.py", lambda text: text.replace('_("steps")', '_("big steps")'), False),
    "a module that is not imported": ("p/other.py", lambda text: text.replace("2", "3"), False),
    "a constant": ("p/used.py", lambda text: text.replace("4", "5"), True),
    "a constant of a module behind a module": ("p/deep.py", lambda text: text.replace("1", "2"), True),
    "a text that is no remark": ("p/used.py", lambda text: text + 'NAME = "Used."\n', True),
    "the package's own file": ("p/__init__.py", lambda text: text + "import p.other\n", True),
    "one more import": ("p/cell.py", lambda text: "import p.other\n" + text, True),
}


@pytest.mark.parametrize("change", CHANGES)
def test_only_what_can_change_a_result_changes_the_fingerprint(place: Path, change: str) -> None:
    name, edit, matters = CHANGES[change]
    before = fingerprint(place, "p.cell")
    text = (place / name).read_text()
    (place / name).write_text(edit(text))
    assert (place / name).read_text() != text
    assert (fingerprint(place, "p.cell") != before) is matters


def test_the_name_of_a_module_matters_since_others_import_it_by_that(place: Path) -> None:
    before = fingerprint(place, "p.cell")
    (place / "p/deep.py").rename(place / "p/deeper.py")
    (place / "p/used.py").write_text(MODULES["p/used.py"].replace("deep", "deeper"))
    assert fingerprint(place, "p.cell") != before


def test_the_real_engine_changes_it_by_a_constant_and_not_by_a_comment(tmp_path: Path) -> None:
    for package in ("engine", "sweeps"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    cell = tmp_path / "sweeps" / "cell.py"
    for path in (tmp_path / "engine" / "values" / "errors.py", cell):
        path.write_text(path.read_text() + "\n# A remark.\n")
    inspector = tmp_path / "engine" / "inspect" / "__init__.py"
    inspector.write_text(inspector.read_text() + "\nMORE = 1\n")
    assert fingerprint(tmp_path, CELL) == engine_build()
    cell.write_text(cell.read_text().replace("BATCH = 500", "BATCH = 501"))
    assert fingerprint(tmp_path, CELL) != engine_build()


@pytest.mark.sources
def test_what_a_running_cell_has_loaded_is_covered() -> None:
    """Nothing is imported behind the fingerprint's back: by name, from a table, or while the cell runs."""
    program = (
        "import sys\n"
        "from sweeps.cell import Cell, run_cell\n"
        "commands = [{'at_us': 0, 'do': 'publish', 'count': 60, 'size_bytes': 6000}]\n"
        "scenario = {'version': 1, 'profile': 'classroom', 'commands': commands, 'until_us': 1_000_000}\n"
        "cell = Cell(cell_id='0', workload='w', values={}, seed=1, scenario=scenario, series_points=3)\n"
        "assert run_cell(cell, '')['error'] is None\n"
        "print(*(name for name in sys.modules if name.split('.')[0] in 'engine spark_jobs sweeps workloads'.split()))\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    assert set(answer.stdout.split()) - {"__main__"} <= reached(ROOT, CELL).keys()
