"""A real server for tests, pictures and measurements: its own process, port, database and directory."""

import contextlib
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tools.free_port import free_port
from tools.prepared import content_of, fill

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60
STOP_SECONDS = 10
DATABASE_URL_FILE = "database-url"
MADE_FROM = (
    *("engine", "playground", "spark_jobs", "static", "sweeps", "templates", "workloads"),
    *("manage.py", "requirements.txt", "constraints.txt"),
)
"""What decides how tables, ready scenarios and collected files look."""


@dataclass(frozen=True)
class LiveServer:
    """A running server: where it answers, where it keeps its files, and what it has written so far."""

    url: str
    var_dir: Path
    log_path: Path
    process: subprocess.Popen[bytes]

    def log(self) -> str:
        """Return everything that the server printed."""
        return self.log_path.read_text(encoding="utf-8", errors="replace")


def environment(var_dir: Path) -> dict[str, str]:
    """Return the environment in which everything the app writes lands under `var_dir`.

    That is a database in a file too, unless `var_dir` holds a file database-url with the address of another one.
    """
    inherited = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    elsewhere = var_dir / DATABASE_URL_FILE
    if elsewhere.exists():
        inherited["DATABASE_URL"] = elsewhere.read_text().strip()
    return {
        **inherited,
        "WATERLINE_VAR": str(var_dir),
        "WATERLINE_STATIC": str(var_dir / "staticfiles"),
        "WATERLINE_WASM": str(var_dir / "wasm"),
        "PYTHONUNBUFFERED": "1",
    }


def manage(var_dir: Path, *arguments: str, root: Path = ROOT) -> None:
    """Run one management command, and fail with what it printed if it fails."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=root,
        env=environment(var_dir),
        capture_output=True,
        text=True,
        check=False,
        umask=0o077,  # as tools/start.sh
    )
    if done.returncode:
        raise RuntimeError(f"manage.py {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")


def prepare(var_dir: Path, root: Path = ROOT) -> None:
    """Make the database under `var_dir`, with the ready scenarios in it, and collect the static files."""
    if (var_dir / DATABASE_URL_FILE).exists():  # the tables are elsewhere, and no copy would bring them
        _prepare(var_dir, root)
    else:
        fill(var_dir, lambda: f"server-{content_of(root, MADE_FROM)}", partial(_prepare, root=root))


def _prepare(var_dir: Path, root: Path) -> None:
    manage(var_dir, "prepare", root=root)


def start(
    var_dir: Path,
    port: int | None = None,
    root: Path = ROOT,
    options: Sequence[str] = (),
    more: Mapping[str, str] | None = None,
    seconds: float = START_SECONDS,
) -> LiveServer:
    """Start daphne on a directory made by `prepare`, and return when it answers.

    Args:
        options: of the server's command line.
        more: variables of its environment.
        seconds: how long it may take.
    """
    port = port or free_port()
    log_path = var_dir / "server.log"
    with log_path.open("ab") as log:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "playground.server.serve",
                "-b",
                "127.0.0.1",
                "-p",
                str(port),
                *options,
                "playground.asgi:application",
            ],
            cwd=root,
            env={"WATERLINE_SIGN_UP": "open", **environment(var_dir), **(more or {})},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    server = LiveServer(f"http://127.0.0.1:{port}", var_dir, log_path, process)
    try:
        wait_until_it_answers(server.url, process, log_path, seconds)
    except BaseException:
        stop(server)
        raise
    return server


def wait_until_it_answers(
    url: str, process: subprocess.Popen[bytes], log: Path, seconds: float = START_SECONDS
) -> None:
    """Return when a server answers, whatever it answers.

    Args:
        url: a cheap page of it.
        process: of the server.
        log: what it prints.
        seconds: how long it may take.

    Raises:
        RuntimeError: it ended, or took too long.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
    why = "stopped at once" if process.poll() is not None else f"did not answer within {seconds} s"
    raise RuntimeError(f"{url} {why}:\n{log.read_text(encoding='utf-8', errors='replace')[-3000:]}")


def end(process: subprocess.Popen[bytes], seconds: float = STOP_SECONDS) -> None:
    """Ask a process to end, and end it if it does not."""
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def stop(server: LiveServer) -> None:
    """End a server."""
    end(server.process)


@contextlib.contextmanager
def running(
    var_dir: Path, root: Path = ROOT, options: Sequence[str] = (), more: Mapping[str, str] | None = None
) -> Iterator[LiveServer]:
    """Prepare a directory, run a server on it as `start` does, and stop the server at the end."""
    prepare(var_dir, root)
    server = start(var_dir, root=root, options=options, more=more)
    try:
        yield server
    finally:
        stop(server)
