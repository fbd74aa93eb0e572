"""A PostgreSQL server of one's own for tests: in a directory of its own, on a socket there, gone at the end.

`python -m tools.private_postgresql COMMAND ...` runs a command with its address in DATABASE_URL.
"""

import contextlib
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

TOOLS = Path(__file__).resolve().parent
NOBODY = "nobody"
"""Who runs the server when this is root, whom PostgreSQL refuses."""


def programs() -> Path:
    """Return the directory of initdb and pg_ctl, after installing them where they are not."""
    found = subprocess.run([TOOLS / "ensure_postgresql.sh"], capture_output=True, text=True, check=False)
    if found.returncode:
        raise RuntimeError(found.stderr.strip())
    return Path(found.stdout.strip().splitlines()[-1])


@contextlib.contextmanager
def running() -> Iterator[str]:
    """Run a server, and give the DATABASE_URL of an empty database in it."""
    bin_dir = programs()
    # The path of a socket has little room: a directory right under the system's temporary one.
    home = Path(tempfile.mkdtemp(prefix="wl-pg-"))
    options: dict[str, Any] = {}
    if os.geteuid() == 0:
        owner = pwd.getpwnam(NOBODY)
        os.chown(home, owner.pw_uid, owner.pw_gid)
        options = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}

    def run(program: str, *arguments: str) -> None:
        done = subprocess.run(
            [bin_dir / program, "-D", str(home / "data"), *arguments],
            cwd=home,
            env={**os.environ, "HOME": str(home)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            **options,
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr}")

    try:
        run("initdb", "--username=waterline", "--auth=trust", "--encoding=UTF8", "--no-sync")
        run("pg_ctl", "start", "-w", "-l", str(home / "log"), "-o", f"-c listen_addresses= -k {home}")
        yield f"postgres://waterline@{quote(str(home), safe='')}/postgres"
    finally:
        with contextlib.suppress(RuntimeError):
            run("pg_ctl", "stop", "-m", "immediate")
        shutil.rmtree(home, ignore_errors=True)


def main() -> int:
    """Run the command of the arguments beside a server; return how it ended."""
    with running() as url:
        return subprocess.run(sys.argv[1:], env={**os.environ, "DATABASE_URL": url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
