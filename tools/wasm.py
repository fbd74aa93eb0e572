"""python -m tools.wasm --out dist/wasm: the engine as WebAssembly: Pyodide, the wheel of msgspec, and our modules.

Pyodide comes from npm (package-lock.json pins it), the wheel from the package index (requirements.txt pins it).
What can be done before a browser starts it is done then: see wasm_ahead.mjs. `scenarios.zip` is for checks only;
`sources.json` has the hash of each module, so that a server notices when the build is older than its engine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from engine.replay import RunPlayer, on_ledger
from tools import wasm_browser_app
from tools.compile_messages import compile_messages
from tools.inspect_file import KEYS
from tools.prepared import content_of, fill

ROOT: Final = Path(__file__).resolve().parent.parent
PYODIDE: Final = ROOT / "node_modules" / "pyodide"
WHEELS: Final = ROOT / "var" / "wheels"
CORE: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
MADE_FROM: Final = (
    *(
        "docs/rules",
        "engine",
        "fidelity",
        "locale",
        "playground",
        "sweeps",
        "templates",
        "tools",
        "workloads",
    ),
    *("requirements.txt", "constraints.txt", "package-lock.json"),
)
SESSIONS: Final = """
import sys
sys.modules.update(dict.fromkeys(("numpy", "greenlet", "django", "asyncio", "orjson")))
import playground.hosting.solo, playground.inspecting.browser_inspect
files = {each.__file__ for name, each in sys.modules.items() if name.partition(".")[0] == "playground"}
print(*sorted(files), sep="\\n")
"""
"""Prints the files that it needs: those that were imported where neither numpy nor a server is."""
ASKED: Final = "first-in"
"""The exercise that shows what the browser's app needs."""
BEGAN: Final = (1980, 1, 1, 0, 0, 0)
"""The time of every file in an archive, so that the same sources give the same bytes."""


def build(out: Path) -> None:
    """Write everything into a directory; a run of tests builds once what is made from the same."""
    compile_messages()
    _set_up()
    fill(out, lambda: f"wasm-{_made_from()}", _build)


def _set_up() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
    import django  # noqa: PLC0415 - only now are the settings named

    django.setup()


def _made_from() -> str:
    """Return a digest of all that the build is made from: sources, texts, data, packages and limits."""
    from django.conf import settings  # noqa: PLC0415 - set up by now

    limits = hashlib.sha256(json.dumps(settings.WATERLINE, sort_keys=True).encode()).hexdigest()[:16]
    return f"{content_of(ROOT, MADE_FROM)}-{limits}"


def _build(out: Path) -> None:
    for name in CORE:
        shutil.copyfile(PYODIDE / name, out / name)
    lock = json.loads((PYODIDE / "pyodide-lock.json").read_text("utf-8"))
    (out / "pyodide-lock.json").write_text(json.dumps({**lock, "packages": {}}), "utf-8")
    shutil.copyfile(wheel(lock["info"]), out / "msgspec.zip")
    sources = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in _sources()}
    app = dict(wasm_browser_app.files(ASKED))
    for archive_name, files in (
        ("engine.zip", sources | {name: data for name, data in app.items() if name.endswith(".py")}),
        ("browser_app.zip", {name: data for name, data in app.items() if not name.endswith(".py")}),
        ("scenarios.zip", {f"scenarios/{name}.json": json.dumps(run).encode() for name, run in _scenarios()}),
    ):
        with zipfile.ZipFile(out / archive_name, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                archive.writestr(zipfile.ZipInfo(name, BEGAN), data, zipfile.ZIP_DEFLATED)
    made_of = {name: hashlib.sha256(data).hexdigest() for name, data in sources.items()}
    (out / "sources.json").write_text(json.dumps(made_of), "utf-8")
    node = subprocess.run([ROOT / "tools" / "ensure_node.sh"], check=True, stdout=subprocess.PIPE, text=True)
    subprocess.run([node.stdout.strip(), ROOT / "tools" / "wasm_ahead.mjs", out], check=True)


def _sources() -> Iterator[Path]:
    """Yield the modules of the engine, and those of playground that run a session and Inspect."""
    yield from sorted((ROOT / "engine").rglob("*.py"))
    yield from session_sources()
    yield ROOT / KEYS


def session_sources() -> Iterator[Path]:
    """Yield the modules of playground that do without a server: a session, and what Inspect reads with."""
    command = [sys.executable, "-c", SESSIONS]
    process = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    yield from (Path(line) for line in process.stdout.splitlines())


def wheel(platform: dict[str, Any]) -> Path:
    """Return msgspec's wheel for a Pyodide; it is downloaded once.

    Args:
        platform: Pyodide's Python, as its lock file names it.
    """
    version = re.search(r"^msgspec==(\S+)", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE)
    if version is None:
        raise SystemExit("requirements.txt pins no msgspec")
    python = ".".join(platform["python"].split(".")[:2])
    found = f"msgspec-{version[1]}-*-pyemscripten_{platform['abi_version']}_wasm32.whl"
    if not list(WHEELS.glob(found)):
        wanted = ["--python-version", python, "--platform", f"pyemscripten_{platform['abi_version']}_wasm32"]
        quiet = ["--disable-pip-version-check", "--no-input", "--quiet", "--no-deps", "--only-binary=:all:"]
        command = [sys.executable, "-m", "pip", "download", *quiet, *wanted, "--dest", str(WHEELS)]
        subprocess.run([*command, f"msgspec=={version[1]}"], check=True)
    return next(WHEELS.glob(found))


def _scenarios() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the ready scenarios and the exercises' runs, each with the digest that it has natively."""
    from playground.exercises.catalog import exercises  # noqa: PLC0415
    from playground.storybook import ready_scenarios  # noqa: PLC0415 - set up by now

    for entry in ready_scenarios.entries():
        yield entry.slug, entry.run
    for exercise in exercises().values():
        scenario = exercise.full_scenario()
        node = on_ledger(scenario)
        RunPlayer(node).finish(scenario["until_us"])
        yield f"exercise-{exercise.slug}", {**scenario, "digest": node.log.digest}


def main() -> None:
    """Build, and print the size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args().out
    build(out)
    sizes = {path.name: path.stat().st_size for path in sorted(out.iterdir())}
    sys.stdout.write(f"{out}: {sum(sizes.values()):,} bytes in {len(sizes)} files\n")


if __name__ == "__main__":
    main()
