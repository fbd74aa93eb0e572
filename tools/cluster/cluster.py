"""Starts all of it, in the order in which one needs the other, and ends it in the reverse."""

import contextlib
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools import private_postgresql
from tools.cluster import servers
from tools.free_port import free_port
from tools.live_server import ROOT, end, wait_until_it_answers

READY_S = 120.0
STOP_S = 15.0
PROGRAM = [
    sys.executable,
    "-m",
    "playground.server.serve",
    "--bind",
    "127.0.0.1",
    "--proxy-headers",
    "--verbosity",
    "0",
]


@dataclass(frozen=True)
class App:
    """One process of the app, with a directory, workers and a port of its own."""

    name: str
    port: int
    log: Path
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        """Return where it answers without the proxy."""
        return f"http://127.0.0.1:{self.port}"


@dataclass(frozen=True)
class Cluster:
    """What runs: the proxy's address, the processes behind it by their names, and their database's address."""

    url: str
    apps: dict[str, App]
    database: str


@contextlib.contextmanager
def running(
    folder: Path, apps: int, listen: str, *, lease_s: int = 9, keep: bool = True, scenarios: bool = True
) -> Iterator[Cluster]:
    """Run a cluster.

    Args:
        folder: where it keeps what it writes.
        apps: how many processes of the app.
        listen: HOST:PORT of the proxy.
        lease_s: seconds after which a session of a process that died is another's.
        keep: whether the database stays for the next time.
        scenarios: whether the ready scenarios are loaded.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        environment = {
            **os.environ,
            "DATABASE_URL": os.environ.get("DATABASE_URL")
            or stack.enter_context(private_postgresql.running(folder / "postgresql" if keep else None)),
            "WATERLINE_REDIS": os.environ.get("WATERLINE_REDIS")
            or stack.enter_context(servers.redis(folder)),
            "WATERLINE_SECRET_KEY": _secret(folder),
            "WATERLINE_STATIC": str(folder / "static"),
            "WATERLINE_VAR": str(folder / "prepare"),
            "WATERLINE_LEASE_S": str(lease_s),
            "WATERLINE_HOSTS": os.environ.get("WATERLINE_HOSTS")
            or f"localhost,127.0.0.1,{listen.rsplit(':', 1)[0]}",
            "WATERLINE_WORKERS": os.environ.get("WATERLINE_WORKERS")
            or str(max(1, (os.cpu_count() or 1) // apps)),
            "PYTHONUNBUFFERED": "1",
        }
        _prepare(environment, scenarios)
        started = {
            f"app{number}": _start(stack, folder, f"app{number}", environment)
            for number in range(1, apps + 1)
        }
        for app in started.values():
            wait_until_it_answers(f"{app.url}/privacy/", app.process, app.log, READY_S)
        addresses = {name: f"127.0.0.1:{app.port}" for name, app in started.items()}
        proxy = stack.enter_context(servers.nginx(folder, addresses, listen))
        wait_until_it_answers(f"http://{listen}/privacy/", proxy, folder / "nginx.log", READY_S)
        yield Cluster(f"http://{listen}", started, environment["DATABASE_URL"])


def _secret(folder: Path) -> str:
    """Return the key that all processes share: each must read the others' cookies."""
    given = os.environ.get("WATERLINE_SECRET_KEY")
    if given:
        return given
    path = folder / "secret_key"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(50), encoding="ascii")
    return path.read_text(encoding="ascii")


def _prepare(environment: dict[str, str], scenarios: bool) -> None:
    """Make the tables and collect the static files, with or without the ready scenarios."""
    command = [sys.executable, "manage.py", "prepare", *([] if scenarios else ["--without-scenarios"])]
    prepared = subprocess.run(
        command,
        check=False,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if prepared.returncode:
        raise RuntimeError(f"manage.py prepare failed:\n{prepared.stdout}")


def _start(stack: contextlib.ExitStack, folder: Path, name: str, environment: dict[str, str]) -> App:
    port, log = free_port(), folder / f"{name}.log"
    own = {**environment, "WATERLINE_NODE": name, "WATERLINE_VAR": str(folder / name)}
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*PROGRAM, "--port", str(port), "playground.asgi:application"],
            cwd=ROOT,
            env=own,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    app = App(name, port, log, process)
    stack.callback(end, app.process, STOP_S)
    return app
