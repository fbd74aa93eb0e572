"""`python -m tests.ctl.record`: ask a private RabbitMQ node the lines of the test, and write down its answers."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pika
from pika.exceptions import AMQPError

from tests.programs.differential.node import PrivateNode
from tests.programs.interop.client import channel

RECORDED = Path(__file__).with_name("recorded.json")
NODE = "waterline@localhost"
BOLD = re.compile("\x1b\\[[0-9]*m")

LINES = """
list_queues
-q list_queues name messages
-s list_queues name messages_ready
list_queues --no-table-headers name consumers
list_queues name messages messages_ready messages_unacknowledged consumers state arguments policy durable
list_queues --formatter json name arguments
list_queues -p other
list_queues nme
list_queues --foo
list_queues -p
list_queus
list_exchanges name type durable auto_delete internal arguments policy
list_exchanges nam
list_bindings
-q list_bindings source_name routing_key
list_connections state user vhost channels
list_channels user consumer_count messages_unacknowledged prefetch_count
list_consumers queue_name consumer_tag ack_required prefetch_count active arguments
list_consumers foo
list_policies
set_policy short '^or' '{"max-length":5,"overflow":"reject-publish"}' --apply-to queues --priority 3
list_policies
list_queues name policy
clear_policy short
clear_policy short
set_policy bad a '{"message-ttl":-1}'
set_policy bad a '{"mess-ttl":1}'
set_policy bad a '{}'
set_policy bad a xx
set_policy bad a
set_policy bad a '{"max-length":1}' --apply-to foo
set_policy bad a '{"max-length":1}' --priority foo
set_vm_memory_high_watermark 0.3
set_vm_memory_high_watermark absolute 200MB
set_vm_memory_high_watermark absolute 2XB
set_vm_memory_high_watermark -1
set_vm_memory_high_watermark 1.5
set_vm_memory_high_watermark abc
set_vm_memory_high_watermark
set_vm_memory_high_watermark absolute
set_vm_memory_high_watermark 0.4 0.5
-q set_vm_memory_high_watermark 0.4
set_disk_free_limit 100MB
set_disk_free_limit mem_relative 1.5
set_disk_free_limit mem_relative x
set_disk_free_limit abc
set_disk_free_limit 1 2
status --unit foo
purge_queue nono
delete_queue nono
delete_queue orders --if-unused
delete_queue orders --if-empty --if-unused
purge_queue lazy
delete_queue lazy --if-empty
stop_app
list_queues
set_vm_memory_high_watermark 0.4
start_app
list_connections
help foo
""".strip().splitlines()


def _rabbitmqctl(node: PrivateNode, line: str) -> tuple[str, int]:
    environment = {name: value for name, value in node.environment().items() if name != "RABBITMQ_DIST_PORT"}
    run = subprocess.run(
        [str(node.home / "sbin" / "rabbitmqctl"), "-n", NODE, *shlex.split(line)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    text = BOLD.sub("", run.stdout).replace(f"-n {NODE} ", "").replace(NODE, "rabbit@waterline")
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


def main() -> None:
    """Record every line, one after the other on the same node."""
    with PrivateNode() as node:
        node.start()
        with channel(node.amqp_port):
            pass
        client = _fill(node.amqp_port)
        time.sleep(1)
        answers = []
        for line in LINES:
            text, code = _rabbitmqctl(node, line)
            answers.append({"line": line, "text": text, "code": code})
            print(f"{code:3} {line}", flush=True)
            with suppress(AMQPError, ValueError):  # stop_app closes the connection
                client.process_data_events(0)
        node.stop()
    RECORDED.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
