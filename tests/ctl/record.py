"""`python -m tests.ctl.record`: ask a private RabbitMQ node the lines of the test, and write down its answers."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pika
from pika.exceptions import AMQPError

from engine.ctl.listings import LISTINGS
from tools.free_port import free_port
from tools.proofs.differential.installation import LATEST, RELEASES
from tools.proofs.differential.node import NodeFailed, PrivateNode
from tools.proofs.interop.client import channel

HERE = Path(__file__).parent
NODE = "waterline@localhost"
START_LIMIT_S = 120
PORT = "5672"
"""What stands in lines and answers for the port of the node's clients."""
BOLD = re.compile("\x1b\\[[0-9]*m")

IDLE = "idle"
NAMES = "names"
PROGRAMS = ("rabbitmqctl", "rabbitmq-diagnostics")
LINES = ("first", "runbooks", "more", "releases")
"""Each set of lines is asked of a node of its own."""
SETS = (*LINES, IDLE)
"""IDLE is asked of a node on which nothing was done: it gives the parts of its memory."""
PROSE = re.compile(
    r"(?<=Command ')([^']*' not found\. \n)\n?Usage\n.*"
    r"|(?<=on node ')([^']*'\.) Please see .*"
    r"|(?<=\n)(Stack trace:) ?\n.*",
    re.DOTALL,
)
"""The overview of all commands, what may keep a node from being found, and stack traces: texts that are not kept."""
COMMAND_ROW = re.compile(r"^   ([a-z_0-9]+)\s", re.MULTILINE)
COLUMNS = re.compile(r"must be one of ([a-z_, \n]+)")


def lines_of(which: str) -> list[str]:
    """Return the lines of a set."""
    return (HERE / "lines" / f"{which}.txt").read_text().splitlines()


def recorded_in(release: str, which: str) -> Path:
    """Return the file with a release's answers to a set of lines."""
    return HERE / "recorded" / release / f"{which}.json"


class _Tool:
    """One program of a release's command line, which answers line after line."""

    def __init__(self, node: PrivateNode, program: str) -> None:
        self.node = node
        place, port = node.root / "gen" / program, free_port()
        place.mkdir()
        environment = {
            name: value for name, value in node.environment().items() if name != "RABBITMQ_DIST_PORT"
        }
        environment["ERL_AFLAGS"] = f"-pa {node.root / 'ebin'} -run cq_console serve {port} {place}"
        self._process = subprocess.Popen(
            [*node.program(program), "-n", NODE],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        limit = time.monotonic() + START_LIMIT_S
        while True:
            with suppress(ConnectionRefusedError):
                self._socket = socket.create_connection(("127.0.0.1", port))
                return
            if self._process.poll() is not None or time.monotonic() > limit:
                raise NodeFailed(f"{program} did not start")
            time.sleep(0.1)

    def ask(self, words: list[str]) -> tuple[str, int]:
        """Return what the program prints, and its exit code."""
        request = b"\0".join(word.encode() for word in words)
        self._socket.sendall(len(request).to_bytes(4) + request)
        answer = self._read(int.from_bytes(self._read(4)))
        return answer[4:].decode(), int.from_bytes(answer[:4])

    def _read(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            piece = self._socket.recv(count - len(found))
            if not piece:
                raise NodeFailed("the command line has ended")
            found += piece
        return found

    def close(self) -> None:
        """End the program."""
        self._socket.close()
        self._process.wait(START_LIMIT_S)


class Tools:
    """The command line of a node's release.

    Args:
        node: that is asked.
    """

    def __init__(self, node: PrivateNode) -> None:
        self.node = node
        self._programs: dict[str, _Tool] = {}

    def program(self, name: str) -> _Tool:
        """Return one of the programs, which is started with its first line."""
        if name not in self._programs:
            self._programs[name] = _Tool(self.node, name)
        return self._programs[name]

    def ask(self, line: str) -> tuple[str, int]:
        """Return what a line prints, with the names of a session's node, and its exit code."""
        node = self.node
        words = shlex.split(line.replace(PORT, str(node.amqp_port)).replace("rabbit@waterline", NODE))
        program = words.pop(0) if words[0].startswith("rabbitmq") else "rabbitmqctl"
        text, code = self.program(program).ask(["-n", NODE, *words])
        text = BOLD.sub("", text).replace(f"-n {NODE} ", "").replace(NODE, "rabbit@waterline")
        text = text.replace(str(node.root), "DIR").replace(str(node.amqp_port), PORT)
        return PROSE.sub(r"\1\2\3", text), code

    def names(self) -> dict[str, Any]:
        """Return the commands of each program, and the columns of each listing."""
        help_of = self.program(PROGRAMS[0]).ask
        commands = {
            name: COMMAND_ROW.findall(BOLD.sub("", self.program(name).ask(["help"])[0])) for name in PROGRAMS
        }
        found = {
            name: COLUMNS.search(help_of(["help", name])[0])
            for name in commands[PROGRAMS[0]]
            if name in LISTINGS
        }
        columns = {name: sorted(re.split(r"[,\s]+", each[1].strip())) for name, each in found.items() if each}
        return {"commands": {name: sorted(each) for name, each in commands.items()}, "columns": columns}

    def close(self) -> None:
        """End its programs."""
        for each in self._programs.values():
            each.close()


def _fill(port: int) -> Any:
    """Make what `tests.ctl.test_recorded` makes of the engine, and return the client that keeps its consumer."""
    client = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port, heartbeat=0))
    ch = client.channel()
    ch.queue_declare("orders", durable=True)
    ch.queue_declare("lazy", durable=True, arguments={"x-queue-mode": "lazy", "x-max-length": 100})
    ch.exchange_declare("events", "topic", durable=True)
    ch.queue_bind("orders", "events", "a.#")
    ch.queue_bind("lazy", "amq.headers", "", {"kind": "big", "x-match": "any"})
    for _ in range(3):
        ch.basic_publish("", "orders", b"x" * 100)
    ch.basic_publish("", "lazy", b"x" * 100)
    ch.basic_qos(prefetch_count=2)
    ch.basic_consume("orders", lambda *_: None, consumer_tag="c1")
    client.process_data_events(1)
    return client


def asked(release: str, which: str, most: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield what a private node of a release answers to the first lines of a set, one after the other."""
    with PrivateNode(release=release) as node:
        node.start()
        with channel(node.amqp_port):
            pass
        client = None if which == IDLE else _fill(node.amqp_port)
        time.sleep(1)
        with closing(Tools(node)) as tools:
            for line in lines_of(which)[:most]:
                text, code = tools.ask(line)
                yield {"line": line, "text": text, "code": code}
                with suppress(AMQPError, ValueError):  # stop_app closes the connection
                    if client is not None:
                        client.process_data_events(0)
        node.stop()


def names_of(release: str) -> dict[str, Any]:
    """Return the names that the command line of a release knows."""
    with PrivateNode(release=release) as node:
        node.start()
        with closing(Tools(node)) as tools:
            found = tools.names()
        node.stop()
    return found


def main() -> None:
    """Record every line of a set, one after the other on the same node; or the names of commands and columns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", choices=RELEASES, default=LATEST, help="of the node")
    parser.add_argument("--set", choices=(*SETS, NAMES), default=SETS[0], help="which lines to ask")
    given = parser.parse_args()
    found: Any
    if given.set == NAMES:
        found = names_of(given.release)
    else:
        found = []
        for each in asked(given.release, given.set):
            found.append(each)
            print(f"{each['code']:3} {each['line']}", flush=True)
    into = recorded_in(given.release, given.set)
    into.parent.mkdir(exist_ok=True)
    into.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
