"""The servers of the cluster: each private, on sockets or ports of its own, gone at the end."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tools import unprivileged
from tools.cluster import proxy

TOOLS = Path(__file__).resolve().parent.parent
STOP_S = 10


def program(script: str) -> str:
    """Return what an ensure script prints, after it installed what was missing."""
    found = subprocess.run([TOOLS / script], capture_output=True, text=True, check=False)
    if found.returncode:
        raise RuntimeError(found.stderr.strip())
    return found.stdout.strip().splitlines()[-1]


@contextlib.contextmanager
def process(command: list[str], log: Path, home: unprivileged.Home) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server, and end it."""
    with log.open("ab") as output:
        running = subprocess.Popen(
            command,
            cwd=home.path,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,  # Ctrl-C is for the program that ends them in their order
            **home.options,
        )
    try:
        yield running
    finally:
        running.terminate()
        try:
            running.wait(STOP_S)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


@contextlib.contextmanager
def redis(folder: Path) -> Iterator[str]:
    """Run a Redis that keeps nothing on disk; give its address."""
    command = program("ensure_redis.sh")
    with unprivileged.home("wl-redis-") as home:
        socket = home.path / "socket"
        options = ["--port", "0", "--unixsocket", str(socket), "--unixsocketperm", "700"]
        options += ["--save", "", "--appendonly", "no", "--dir", str(home.path), "--daemonize", "no"]
        with process([command, *options], folder / "redis.log", home):
            yield f"unix://{socket}"


@contextlib.contextmanager
def nginx(folder: Path, apps: dict[str, str], listen: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a proxy before processes of the app."""
    command = program("ensure_nginx.sh")
    with unprivileged.home("wl-nginx-") as home:
        configuration = home.path / "nginx.conf"
        configuration.write_text(proxy.configuration(apps, listen, str(home.path)), encoding="utf-8")
        configuration.chmod(0o644)
        arguments = [command, "-p", str(home.path), "-c", str(configuration), "-e", "stderr"]
        with process(arguments, folder / "nginx.log", home) as running:
            yield running
