"""`python -m tools.inspect_file OUT`: waterline-inspect.pyz, one file that reads a node's directory where it lies.

It holds the compiled modules that reading needs, and the msgspec of this environment: so it runs with the Python
version and on the kind of machine that built it, and says so anywhere else.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from py_compile import PycInvalidationMode
from py_compile import compile as compile_module
from typing import Final

import msgspec

ROOT: Final = Path(__file__).resolve().parent.parent
NAME: Final = "waterline-inspect.pyz"
KEYS: Final = "playground/inspecting/schema_keys.json"
"""The data that its modules read."""
BEGAN: Final = (1980, 1, 1, 0, 0, 0)
"""The time of every file in it, so that the same sources give the same bytes."""
IMPORTED: Final = """
import sys
sys.modules.update(dict.fromkeys(("numpy", "greenlet", "django", "asyncio", "orjson")))
import playground.inspecting.node_command
rooms = ("playground", "engine", "sweeps", "workloads", "fidelity")
print(*sorted({m.__file__ for n, m in sys.modules.items() if n.partition(".")[0] in rooms and m.__file__}), sep="\\n")
"""
"""Prints the files of the modules that it needs, where neither numpy nor a server is."""
MAIN: Final = '''"""Unpacks what is compiled, and runs the command."""
import atexit, os, shutil, sys, tempfile, zipfile

WANTED = {wanted!r}
if sys.version_info[:2] != WANTED:
    sys.stderr.write("waterline-inspect: this file was built for Python %d.%d\\n" % WANTED)
    sys.exit(2)
place = tempfile.mkdtemp(prefix="waterline-inspect-")
atexit.register(shutil.rmtree, place, True)
with zipfile.ZipFile(os.path.dirname(os.path.abspath(__file__))) as packed:
    packed.extractall(place, [each for each in packed.namelist() if each.startswith("msgspec/")])
sys.path.insert(0, place)
sys.modules.update(dict.fromkeys(("numpy", "orjson", "greenlet")))
try:
    import msgspec
except ImportError as error:
    sys.stderr.write("waterline-inspect: msgspec does not run on this machine (%s)\\n" % error)
    sys.exit(2)
from playground.inspecting.node_command import main

sys.exit(main())
'''


def build(out: Path) -> Path:
    """Write the file into a directory; return its path."""
    out.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(
        [sys.executable, "-c", IMPORTED], cwd=ROOT, check=True, capture_output=True, text=True
    )
    place = out / NAME
    package = Path(msgspec.__file__).parent
    with place.open("wb") as opened:
        opened.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(opened, "w", zipfile.ZIP_DEFLATED) as packed:
            _write(packed, "__main__.py", MAIN.format(wanted=sys.version_info[:2]).encode())
            for path in map(Path, listed.stdout.split()):
                _write_module(packed, path, ROOT)
            _write(packed, KEYS, (ROOT / KEYS).read_bytes())
            for path in sorted(package.rglob("*")):
                if path.suffix == ".py":
                    _write_module(packed, path, package.parent)
                elif path.suffix in (".so", ".pyd"):
                    _write(packed, path.relative_to(package.parent).as_posix(), path.read_bytes())
    place.chmod(0o755)
    return place


def _write_module(packed: zipfile.ZipFile, path: Path, root: Path) -> None:
    """Write a module as Python compiles it: to compile all of them was most of the time of each start."""
    name = path.relative_to(root).as_posix()
    with tempfile.TemporaryDirectory(prefix="waterline-") as scratch:
        compiled = Path(scratch, "compiled")
        compile_module(
            str(path), str(compiled), name, doraise=True, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH
        )
        _write(packed, f"{name}c", compiled.read_bytes())


def _write(packed: zipfile.ZipFile, name: str, data: bytes) -> None:
    packed.writestr(zipfile.ZipInfo(name, BEGAN), data, zipfile.ZIP_DEFLATED)


def main(argv: Sequence[str] | None = None) -> int:
    """Build it and say where it is."""
    parser = argparse.ArgumentParser(prog="python -m tools.inspect_file", description=__doc__)
    parser.add_argument("out", type=Path, help="directory")
    place = build(parser.parse_args(argv).out)
    print(
        f"{place}: {place.stat().st_size >> 10} KiB, for Python {sys.version_info[0]}.{sys.version_info[1]}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
