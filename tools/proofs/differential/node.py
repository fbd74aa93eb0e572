"""A private RabbitMQ node: its own directory, loopback ports, cookie and port mapper, gone when it is closed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tools.free_port import free_port
from tools.prepared import content_of, fill
from tools.proofs.differential.installation import LATEST, OLD, NodeFailed, installation

__all__ = ["NodeFailed", "PrivateNode"]

HERE = Path(__file__).resolve().parent
START_LIMIT_S = 600
STOP_LIMIT_S = 60
VHOST = "628WB79CIFDYO9LJI6DKMI09L"  # the directory of the virtual host "/" (S1)
LOOPBACK = "127.0.0.1"
WITH_PARENT = ("setpriv", "--pdeathsig", "KILL")
"""Ends a process when the program that started it ends, however that comes."""
WITHOUT_SPINNING = "+sbwt none +sbwtdcpu none +sbwtdio none"
"""Lets a node that waits leave the processor to the others, of which several run side by side."""


def _end_in_order(*_: object) -> None:
    """Turn the signal into an exception, so that everything is cleaned up."""
    raise SystemExit(128 + signal.SIGTERM)


def _memory_backed() -> str | None:
    """Return a directory in memory, where a sync costs nothing, if there is one with room."""
    shm = Path("/dev/shm")
    if not os.access(shm, os.W_OK) or shutil.disk_usage(shm).free < 512 << 20:
        return None
    return str(shm)


def _erlang(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return "{" + ", ".join(_erlang(each) for each in value) + "}"
    return str(value)


class PrivateNode:
    """A node that can be started, stopped, killed and started again on the same directory.

    Args:
        settings: values for the node's application environment (tuples become Erlang tuples).
        in_memory: keep the directory in memory if the machine has such a place.
        release: of RabbitMQ.
    """

    def __init__(
        self,
        settings: Mapping[str, Any] | None = None,
        in_memory: bool = True,
        release: str = LATEST,
    ) -> None:
        self.release = release
        self._installed = installation(release)
        self.home = self._installed.home
        self.root = Path(
            tempfile.mkdtemp(prefix="waterline-node-", dir=_memory_backed() if in_memory else None)
        )
        self.amqp_port, self.driver_port, self._epmd_port = free_port(), free_port(), free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._epmd: subprocess.Popen[bytes] | None = None
        self.data = self.root / "data"
        self.settings = dict(settings or {})
        self._prepare()

    @property
    def vhost_directory(self) -> Path:
        """Where the node keeps the queues and the message stores of the virtual host "/"."""
        return self.data / "msg_stores" / "vhosts" / VHOST

    def program(self, name: str) -> list[str]:
        """Return the command that runs one of the release's own programs."""
        return [*self._installed.enter, str(self.home / "sbin" / name)]

    def _prepare(self) -> None:
        for name in ("data", "log", "home", "ebin", "gen"):
            (self.root / name).mkdir()
        (self.root / "rabbitmq.conf").write_text(
            "log.file.level = warning\ndisk_free_limit.absolute = 10MB\n"
        )
        self.configure({})
        fill(self.root / "ebin", self._driver_name, self._compile)

    def _driver_name(self) -> str:
        return f"driver-{self.release}-{content_of(HERE, [*map(str, self._driver())])}"

    def _driver(self) -> list[Path]:
        """Return the driver's modules, those that know this release's queues among them."""
        found = sorted([*HERE.glob("*.erl"), *(HERE / self._installed.queues).glob("*.erl")])
        return [path.relative_to(HERE) for path in found]

    def _compile(self, out: Path) -> None:
        """Compile the driver, beside the node's own files, which the release's system sees too; write it to `out`."""
        ebin = self.root / "ebin"
        sources = [str(shutil.copy(HERE / path, self.root / "gen")) for path in self._driver()]
        subprocess.run(
            [*self._installed.enter, "erlc", "+nowarn_deprecated_catch", "-o", str(ebin), *sources],
            env={**os.environ, **self._installed.environment, "ERL_LIBS": str(self._installed.libraries)},
            check=True,
        )
        if out != ebin:
            shutil.copytree(ebin, out, dirs_exist_ok=True)

    def configure(self, settings: Mapping[str, Any]) -> None:
        """Change settings; they hold from the next start on."""
        self.settings.update(settings)
        pairs = ", ".join(f"{{{name}, {_erlang(value)}}}" for name, value in self.settings.items())
        (self.root / "advanced.config").write_text(f"[{{rabbit, [{pairs}]}}].\n")

    def environment(self) -> dict[str, str]:
        """Return the environment of the node's programs, rabbitmqctl included."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TZ") if name in os.environ}
        arguments = f"-pa {self.root / 'ebin'} -s cq_driver boot -cq_port {self.driver_port}"
        return {
            **kept,
            **self._installed.environment,
            "HOME": str(self.root / "home"),
            "ERL_EPMD_ADDRESS": LOOPBACK,
            "ERL_EPMD_PORT": str(self._epmd_port),
            "ERL_FLAGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            "ERL_CRASH_DUMP_SECONDS": "0",
            "RABBITMQ_NODENAME": "waterline@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": LOOPBACK,
            "RABBITMQ_NODE_PORT": str(self.amqp_port),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_MNESIA_BASE": str(self.data.parent),
            "RABBITMQ_MNESIA_DIR": str(self.data),
            "RABBITMQ_LOG_BASE": str(self.root / "log"),
            "RABBITMQ_PID_FILE": str(self.root / "pid"),
            "RABBITMQ_CONF_ENV_FILE": str(self.root / "no-such-file"),
            "RABBITMQ_CONFIG_FILE": str(self.root / "rabbitmq.conf"),
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(self.root / "advanced.config"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.root / "enabled_plugins"),
            "RABBITMQ_FEATURE_FLAGS_FILE": str(self.root / "feature_flags"),
            "RABBITMQ_ENABLED_PLUGINS": "",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": f"{arguments} +S 2:2 {WITHOUT_SPINNING}",
            "RABBITMQ_GENERATED_CONFIG_DIR": str(self.root / "gen"),
            "RABBITMQ_SCHEMA_DIR": str(self.root / "gen"),
            "RUNNING_UNDER_SYSTEMD": "true",  # the start script then becomes the node instead of guarding it
        }

    def erlang(self, module: str, argument: str) -> None:
        """Run `main` of one of the driver's modules in a virtual machine of its own.

        Args:
            module: its name.
            argument: a string without quotes.

        Raises:
            CalledProcessError: it failed; its words are printed.
        """
        call = f'{module}:main("{argument}"), halt(0).'
        subprocess.run(
            [*self._installed.enter, "erl", "-noshell", "-pa", str(self.root / "ebin"), "-eval", call],
            env={**os.environ, **self._installed.environment, "HOME": str(self.root / "home")},
            stdin=subprocess.DEVNULL,
            check=True,
        )

    def start(self) -> None:
        """Start the node and wait until it serves."""
        environment = self.environment()
        if self._epmd is None:
            self._epmd = subprocess.Popen(
                [
                    *WITH_PARENT,
                    *self._installed.enter,
                    "epmd",
                    "-port",
                    str(self._epmd_port),
                    "-address",
                    LOOPBACK,
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
        (self.root / "enabled_plugins").write_text("[].\n")
        with (self.root / "log" / "console").open("ab") as console:
            self._process = subprocess.Popen(
                [*WITH_PARENT, *self.program("rabbitmq-server")],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=self.root,
                start_new_session=True,
            )
        limit = time.monotonic() + START_LIMIT_S
        while not self._listens(self.driver_port):
            if self._process.poll() is not None or time.monotonic() > limit:
                raise NodeFailed(f"the private node did not start:\n{self.log()}")
            time.sleep(0.1)

    @staticmethod
    def _listens(port: int) -> bool:
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex((LOOPBACK, port)) == 0

    def log(self, lines: int = 40) -> str:
        """Return the end of what the node wrote to its logs."""
        texts = [
            path.read_text(errors="replace")
            for path in sorted((self.root / "log").glob("*"))
            if path.is_file()
        ]
        return "\n".join("\n".join(text.splitlines()[-lines:]) for text in texts)

    @property
    def is_alive(self) -> bool:
        """Whether its process runs, ready to serve or not."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """The id of the node's process.

        Raises NodeFailed when it does not run.
        """
        if self._process is None:
            raise NodeFailed("the private node does not run")
        return self._process.pid

    def stop(self) -> None:
        """Stop the node as an administrator does: everything is written and synced."""
        if self.release == OLD and self.is_alive:
            self._halt()
        self._end(signal.SIGTERM)

    def _halt(self) -> None:
        """Let the driver stop the broker and end the virtual machine: an old one told to end counts to 15 s first."""
        with closing(socket.create_connection((LOOPBACK, self.driver_port), timeout=STOP_LIMIT_S)) as told:
            request = b'{"do":"halt"}'
            told.sendall(len(request).to_bytes(4) + request)
            with suppress(ConnectionError):
                told.recv(1)  # which ends, empty, when the machine has ended

    def kill(self) -> None:
        """End the node at once (kill -9): what it had only buffered is lost."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise NodeFailed(f"the private node did not stop:\n{self.log()}") from None
        finally:
            self._end_group(process.pid)

    @staticmethod
    def _end_group(group: int) -> None:
        """End the node's own helpers, which are in the session that it leads."""
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            return

    def close(self) -> None:
        """Leave nothing behind: no process and no file."""
        try:
            self.kill()
        finally:
            if self._epmd is not None:
                self._epmd.kill()
                self._epmd.wait()
                self._epmd = None
            shutil.rmtree(self.root, ignore_errors=True)

    def __enter__(self) -> Self:
        for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            if signal.getsignal(each) != signal.default_int_handler:
                signal.signal(each, _end_in_order)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
