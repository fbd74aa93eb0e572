"""`python -m tests.ctl.record`: ask a private RabbitMQ node the lines of the test, and write down its answers."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pika
from pika.exceptions import AMQPError

from tests.programs.differential.node import PrivateNode
from tests.programs.interop.client import channel

HERE = Path(__file__).parent
NODE = "waterline@localhost"
PORT = "5672"
"""What stands in lines and answers for the port of the node's clients."""
BOLD = re.compile("\x1b\\[[0-9]*m")

SETS = {"": "lines.txt", "runbooks": "runbook_lines.txt", "more": "more_lines.txt"}
"""Each set of lines is asked of a node of its own."""


def lines_of(which: str) -> list[str]:
    """Return the lines of a set."""
    return HERE.joinpath(SETS[which]).read_text().splitlines()


def recorded_in(which: str) -> Path:
    """Return the file with the answers to a set of lines."""
    return HERE / f"recorded{'-' if which else ''}{which}.json"


def _rabbitmqctl(node: PrivateNode, line: str) -> tuple[str, int]:
    environment = {name: value for name, value in node.environment().items() if name != "RABBITMQ_DIST_PORT"}
    words = shlex.split(line.replace(PORT, str(node.amqp_port)).replace("rabbit@waterline", NODE))
    program = words.pop(0) if words[0].startswith("rabbitmq") else "rabbitmqctl"
    run = subprocess.run(
        [*node.program(program), "-n", NODE, *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    text = BOLD.sub("", run.stdout).replace(f"-n {NODE} ", "").replace(NODE, "rabbit@waterline")
    text = text.replace(str(node.amqp_port), PORT)
    return text, run.returncode


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


def asked(lines: list[str]) -> Iterator[dict[str, Any]]:
    """Yield what a private node answers to each line, one after the other."""
    with PrivateNode() as node:
        node.start()
        with channel(node.amqp_port):
            pass
        client = _fill(node.amqp_port)
        time.sleep(1)
        for line in lines:
            text, code = _rabbitmqctl(node, line)
            yield {"line": line, "text": text, "code": code}
            with suppress(AMQPError, ValueError):  # stop_app closes the connection
                client.process_data_events(0)
        node.stop()


def main() -> None:
    """Record every line of a set, one after the other on the same node."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=list(SETS), default="", help="which lines to ask")
    parser.add_argument("--into", type=Path, help="file for the answers, instead of the one that tests read")
    given = parser.parse_args()
    answers = []
    for each in asked(lines_of(given.set)):
        answers.append(each)
        print(f"{each['code']:3} {each['line']}", flush=True)
    into = given.into or recorded_in(given.set)
    into.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
