"""What a node of another release makes of a queue's own files, behind the gate of feature flags.

The node has a queue of that name already; the files of its virtual host are taken away, and those that the older
release left are put in their place. So it starts, with flags of its own, on queues of the other one.
"""

from __future__ import annotations

import shutil
import time
from typing import Any, Final

import pika

from tools.proofs.differential.installation import NodeFailed
from tools.proofs.differential.node import PrivateNode
from tools.proofs.interop.client import channel, count_of, drain

QUEUE: Final = "orders"
EITHER: Final = "3.10.8"
"""The release whose queues have files of either version."""
SIZES: Final = (*[100] * 12, *[6000] * 3, *[9] * 8)
"""Bytes of the messages that are published, in their order."""
TAKEN: Final = 2
"""So many are acknowledged, and as many more are given back when their connection closes."""
QUIET_S: Final = 1.0


def taken_over(release: str, other: str, version: int, how: str) -> dict[str, Any]:
    """Return what a node of `release` makes of files that a node of `other` left.

    Args:
        release: of the node that starts on them.
        other: of the node that wrote them.
        version: of the queue's files; a node that has queues of both versions gets one of the other.
        how: the older node ended, "stop" or "kill".
    """
    arguments = {"x-queue-version": version} if other == EITHER else {}
    wanted = {"x-queue-version": 3 - version} if release == EITHER else {}
    with PrivateNode(release=other) as older, PrivateNode(release=release) as node:
        older.start()
        with channel(older.amqp_port) as ch:
            ch.confirm_delivery()
            ch.queue_declare(QUEUE, durable=True, arguments=arguments)
            for number, size in enumerate(SIZES):
                ch.basic_publish("", QUEUE, _body(number, size), pika.BasicProperties(delivery_mode=2))
            for _ in range(TAKEN):
                ch.basic_get(QUEUE, auto_ack=True)
            for _ in range(TAKEN):
                ch.basic_get(QUEUE)
        time.sleep(QUIET_S)
        older.stop() if how == "stop" else older.kill()
        node.start()
        with channel(node.amqp_port) as ch:
            ch.queue_declare(QUEUE, durable=True, arguments=wanted)
        node.stop()
        shutil.rmtree(node.vhost_directory)
        shutil.copytree(older.vhost_directory, node.vhost_directory)
        return _found(node)


def _body(number: int, size: int) -> bytes:
    return str(number).encode().ljust(size, b".")


def _found(node: PrivateNode) -> dict[str, Any]:
    """Start the node, and return the queue's messages as a client gets them, and the files that are there then."""
    try:
        node.start()
        with channel(node.amqp_port) as ch:
            count = count_of(ch, QUEUE)
            seen = drain(ch, QUEUE, acknowledge=False)
    except (NodeFailed, pika.exceptions.AMQPError) as failed:
        return {"failed": f"{type(failed).__name__}: {failed}"[:300], **_files(node)}
    numbers = [int(each.body.rstrip(b".")) for each in seen]
    return {
        "count": count,
        "numbers": numbers,
        "redelivered": sum(each.redelivered for each in seen),
        **_files(node),
    }


def _files(node: PrivateNode) -> dict[str, Any]:
    kinds = (path.suffix[1:] for path in node.vhost_directory.rglob("*") if path.is_file())
    return {"files": sorted({kind for kind in kinds if kind in ("idx", "jif", "qi", "qs", "rdq")})}
