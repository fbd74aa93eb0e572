"""A PostgreSQL server of one's own for tests: in a directory of its own, on a socket there, gone at the end.

`python -m tools.private_postgresql COMMAND ...` runs a command with its address in DATABASE_URL.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from tools import unprivileged

TOOLS = Path(__file__).resolve().parent


def programs() -> Path:
    """Return the directory of initdb and pg_ctl, after installing them where they are not."""
    found = subprocess.run([TOOLS / "ensure_postgresql.sh"], capture_output=True, text=True, check=False)
    if found.returncode:
        raise RuntimeError(found.stderr.strip())
    return Path(found.stdout.strip().splitlines()[-1])


@contextlib.contextmanager
def running(data: Path | None = None) -> Iterator[str]:
    """Run a server, and give the DATABASE_URL of a database in it.

    Args:
        data: where its files stay for the next time; None for an empty database that is gone afterwards.
    """
    bin_dir = programs()
    with unprivileged.home("wl-pg-") as home:
        files = data or home.path / "data"
        if data:
            home.give(data)

        def run(program: str, *arguments: str) -> None:
            done = subprocess.run(
                [bin_dir / program, "-D", str(files), *arguments],
                cwd=home.path,
                env={**os.environ, "HOME": str(home.path)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
                **home.options,
            )
            if done.returncode:
                raise RuntimeError(f"{program} failed: {done.stderr}")

        if not (files / "PG_VERSION").exists():
            run("initdb", "--username=waterline", "--auth=trust", "--encoding=UTF8", "--no-sync")
        try:
            options = f"-c listen_addresses= -k {home.path}"
            run("pg_ctl", "start", "-w", "-l", str(home.path / "log"), "-o", options)
            yield f"postgres://waterline@{quote(str(home.path), safe='')}/postgres"
        finally:
            with contextlib.suppress(RuntimeError):
                run("pg_ctl", "stop", "-m", "fast" if data else "immediate")


def main() -> int:
    """Run the command of the arguments beside a server; return how it ended."""
    with running() as url:
        return subprocess.run(sys.argv[1:], env={**os.environ, "DATABASE_URL": url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
