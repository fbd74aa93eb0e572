"""Compile the engine's busiest modules with mypyc: the same sources, the same digests, less time for each message.

`make compiled` writes a copy of the engine with compiled modules under var/compiled. What is started by `make run`,
`make bench` and `make heatmaps` takes it as long as it was made of exactly these sources, else the sources themselves:
nothing needs a compiler, and nothing that is out of date is ever used. Without a C compiler the target says so.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tools.compiled_pickles import let_pickle
from tools.compiled_records import put_beside

ROOT: Final = Path(__file__).resolve().parent.parent
PLACE: Final = ROOT / "var" / "compiled"
ROOMS: Final = (
    "broker",
    "broker/clients",
    "broker/control",
    "broker/memory",
    "broker/mirrors",
    "broker/queues",
    "broker/time",
    "broker/vhost",
    "classic_v1/formats",
    "classic_v1/index",
    "classic_v1/queue",
    "classic_v1/store",
    "classic_v2",
    "classic_v2/formats",
    "classic_v2/index",
    "classic_v2/queue",
    "classic_v2/store",
    "counting",
    "replay",
    "storage",
    "version_choice",
)
"""Rooms of the engine in which a message spends its time (bench one_at_a_time, imported_log)."""
SINGLE: Final = (
    "values/extents.py",
    "values/labels.py",
    "values/sizes.py",
    "values/stretches.py",
    "values/waits.py",
    "report/log.py",
    "backing_queue/message_places.py",
    "backing_queue/queue_numbers.py",
    "backing_queue/stores.py",
)
"""What they ask most."""
METRIC: Final = ("counted(", "at_end(")
"""What makes a function a metric."""
LEFT_OUT: Final = (
    "engine/counting/metric.py",
    "engine/classic_v2/formats/mc.py",
    "engine/classic_v2/inspect.py",
    "engine/storage/port.py",
)
"""The first one's records name classes of it, which move with them, and the compiler does not see their base; the
second one's classes inherit how they are pickled, which the compiler would replace; no run asks the third; classes
inherit from the protocols of the last one."""
TINY: Final = ("engine/values/stretches.py",)
"""What is compiled where it is only to be seen to work; `translate` shows that the compiler takes the others."""
BESIDE: Final = ("sweeps", "workloads", "spark_jobs")
"""Packages that lie beside the engine, as those expect that search from its place."""
SCENARIOS: Final = ROOT / "playground" / "scenarios"
TESTS: Final = (
    "tests/unit",
    "tests/amqp",
    "tests/golden",
    "tests/conformance",
    "tests/ctl",
    "tests/proofs/differential/test_found.py",
    "tests/proofs/interop/test_recorded.py",
    "tests/proofs/stories",
    "tests/proofs/fuzz",
)
"""What is tested on the compiled engine as well: its parts, and all that was recorded from brokers."""
TINY_TESTS: Final = ("tests/unit/values",)
ON_IT: Final = """
import sys
import pytest
import engine
from engine.values import stretches
print(stretches.__file__, flush=True)
sys.exit(pytest.main(sys.argv[1:]))
"""
BUILD: Final = """
import sys
from setuptools import setup
from mypyc.build import mypycify
names, level = sys.argv.pop(1).split(","), sys.argv.pop(1)
several = len(names) > 1
setup(name="engine", packages=[], ext_modules=mypycify(names, opt_level=level, debug_level="0", multi_file=several))
"""
TRANSLATE: Final = """
import sys
from mypyc.build import CompilerOptions, mypyc_build
mypyc_build(sys.argv[1].split(","), CompilerOptions(multi_file=True, target_dir="build"))
"""
"""All that the compiler does before C is compiled: most of what it refuses, it refuses here."""


def sources(root: Path = ROOT) -> list[Path]:
    """Return the engine's files in a stable order."""
    return sorted((root / "engine").rglob("*.py"))


def stamp(root: Path = ROOT) -> str:
    """Return 16 hexadecimal digits of the engine's sources and of the Python that runs them."""
    found = hashlib.sha256(f"{sys.version} {sysconfig.get_platform()}".encode())
    for path in sources(root):
        found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def needs_python(tree: ast.Module) -> bool:
    """Return whether a module has, beside records, what the compiler does not keep.

    That is a protocol that is asked at run time, a name that is one thing for the type checker and another one for
    the run, a metric, whose first line of documentation is shown, and a number of which a function says that it is a
    float: it would make one of a whole number.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any(
            ast.unparse(each) == "runtime_checkable" for each in node.decorator_list
        ):
            return True
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and node.orelse:
            return True
        if isinstance(node, ast.FunctionDef) and (
            "float" in (ast.unparse(each) for each in hints(node))
            or any(ast.unparse(each).startswith(METRIC) for each in node.decorator_list)
        ):
            return True
    return False


def hints(function: ast.FunctionDef) -> list[ast.expr]:
    """Return the types of what a function takes and returns."""
    given = [*function.args.args, *function.args.kwonlyargs]
    return [each for each in (*(each.annotation for each in given), function.returns) if each is not None]


def chosen(root: Path = ROOT) -> list[str]:
    """Return the modules to compile, as paths below `root`."""
    engine = root / "engine"
    paths = [path for room in ROOMS for path in sorted((engine / room).glob("*.py"))]
    paths += [engine / name for name in SINGLE]
    return [
        path.relative_to(root).as_posix()
        for path in paths
        if path.name != "__init__.py"
        and path.relative_to(root).as_posix() not in LEFT_OUT
        and not needs_python(ast.parse(path.read_text(encoding="utf-8")))
    ]


def environment(place: Path) -> dict[str, str]:
    """Return the variables with which a process started in the repository imports the compiled engine."""
    return {"PYTHONSAFEPATH": "1", "PYTHONPATH": f"{place}{os.pathsep}{ROOT}"}


def fitting() -> Path | None:
    """Return where the engine lies that was compiled of exactly these sources, None where there is none."""
    place = PLACE / stamp()
    return place if (place / "engine").is_dir() else None


def lacks() -> str | None:
    """Return what a compilation needs and this machine has not."""
    if shutil.which(os.environ.get("CC", "cc")) is None:
        return "there is no C compiler here"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return "Python's headers are missing here (python3-dev)"
    return None


def copied(place: Path) -> list[str]:
    """Copy the engine to `place`, made ready for the compiler; return the modules to compile."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    shutil.copytree(ROOT / "engine", place / "engine", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    # Else the checker finds the repository's own rules above the copy, in which records' names come from another place.
    (place / "mypy.ini").write_text("[mypy]\n", encoding="utf-8")
    for name in BESIDE:
        (place / name).symlink_to(ROOT / name)
    names = [name for name in chosen(place) if put_beside(place / name, name[:-3].replace("/", "."))]
    for name in names:
        let_pickle(place / name)
    return names


def translate(place: Path) -> int:
    """Translate all modules in a copy at `place`, which takes a minute; return how many.

    Raises:
        CalledProcessError: the compiler refused something; its words are printed.
    """
    names = copied(place)
    run(place, TRANSLATE, ",".join(names))
    return len(names)


def build(place: Path, tiny: bool) -> int:
    """Copy the engine to `place` and compile there; return how many modules were compiled.

    Raises:
        CalledProcessError: the compiler refused something; its words are printed.
    """
    names, level = copied(place), "2"
    if tiny:
        names, level = list(TINY), "0"  # what is only to be seen to work need not be fast
    run(place, BUILD, ",".join(names), level, "--quiet", "build_ext", "--inplace", "-j2")
    shutil.rmtree(place / "build", ignore_errors=True)
    return len(names)


def run(place: Path, program: str, *given: str) -> None:
    """Run a program of the compiler in the copy.

    Raises:
        CalledProcessError: the compiler refused something; its words are printed.
    """
    log = place / "build.log"
    with log.open("wb") as words:
        command = [sys.executable, "-c", program, *given]
        done = subprocess.run(command, cwd=place, stdout=words, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        print(log.read_text(encoding="utf-8", errors="replace")[-4000:], file=sys.stderr)
        raise subprocess.CalledProcessError(done.returncode, "mypyc")


def reached(names: Sequence[str], place: Path) -> list[str]:
    """Return each ready scenario with its digest and one of what it counts, on the engine that lies at `place`."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.reached", str(SCENARIOS), *names],
        cwd=ROOT,
        env={**os.environ, **environment(place)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"the scenarios do not run:\n{done.stderr}")
    found, *rows = done.stdout.splitlines()
    if Path(found) != place.resolve():
        raise SystemExit(f"the engine was found at {found} and not at {place}")
    return rows


def tested(place: Path, tests: Sequence[str]) -> str | None:
    """Run tests on the engine that lies at `place`; return what they print where one fails.

    Those marked `sources` look behind what a compiled module shows, and are left out.
    """
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            ON_IT,
            "-q",
            "-m",
            "not sources and not soak and not browser and not spark",
            *tests,
        ],
        cwd=ROOT,
        env={**os.environ, **environment(place)},
        capture_output=True,
        text=True,
        check=False,
    )
    found, _, printed = done.stdout.partition("\n")
    if not (found.startswith(str(place.resolve())) and found.endswith(".so")):
        raise SystemExit(f"the tests ran on {found}, which was not compiled:\n{done.stderr}")
    return printed if done.returncode else None


def kept_digest(name: str) -> str:
    """Return the digest that a ready scenario has in its file."""
    return str(json.loads((SCENARIOS / f"{name}.json").read_text(encoding="utf-8"))["digest"])


def wrong(place: Path, names: Sequence[str]) -> list[str]:
    """Return the scenarios that reach another digest on the compiled engine than their file has, or count otherwise."""
    pairs = zip(names, reached(names, place), reached(names, ROOT), strict=True)
    return [
        compiled
        for name, compiled, own in pairs
        if compiled != own or not own.startswith(f"{name} {kept_digest(name)} ")
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Build; or become a program that takes what was built."""
    parser = argparse.ArgumentParser(prog="python -m tools.compiled", description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="one module, and one scenario on it")
    parser.add_argument(
        "--run",
        nargs=argparse.REMAINDER,
        metavar="ARGUMENT",
        help="become Python with these arguments, on what was compiled if it fits",
    )
    given = parser.parse_args(argv)
    if given.run:
        fits = fitting()
        variables = {**os.environ, **(environment(fits) if fits else {})}
        os.execve(sys.executable, [sys.executable, *given.run], variables)
    if missing := lacks():
        print(f"compiled: {missing}; the engine runs from its sources", file=sys.stderr)
        return 1
    place = PLACE / stamp()
    new = place.with_suffix(".new")
    count = build(new, given.tiny)
    names = sorted(path.stem for path in SCENARIOS.glob("*.json"))[: 1 if given.tiny else None]
    if differ := wrong(new, names):
        print(f"compiled: other digests or counts than the sources: {', '.join(differ)}", file=sys.stderr)
        return 1
    if (printed := tested(new, TINY_TESTS if given.tiny else TESTS)) is not None:
        print(f"compiled: tests fail that the sources pass:\n{printed[-4000:]}", file=sys.stderr)
        return 1
    print(f"compiled: modules {count}; scenarios with the digests of the sources {len(names)}; tests pass")
    if not given.tiny:
        shutil.rmtree(place, ignore_errors=True)
        new.rename(place)
    return 0


if __name__ == "__main__":
    sys.exit(main())
