"""A real client fills the real node; the engine opens what it left, goes on, and the node opens that again."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pika
from pika.adapters.blocking_connection import BlockingChannel

from engine.backing_queue.protocol import Arrival
from engine.formats.message import MessageTemplate
from engine.formats.names import queue_directory
from tools.proofs.differential.installation import LATEST, TODAYS
from tools.proofs.differential.node import PrivateNode
from tools.proofs.interop import clean_stop
from tools.proofs.interop.cases import generated_body
from tools.proofs.interop.clean_stop import Left
from tools.proofs.interop.client import channel, count_of, drain, listed
from tools.proofs.interop.host import DirectoryHost, TakenMessage, forget_clean_stop
from tools.proofs.interop.host_v2 import HostV2
from tools.proofs.interop.report import Report, first_difference, wrong_bodies
from tools.proofs.interop.to_node import ToNode

SETTINGS = {"queue_index_segment_entry_count": 64, "msg_store_file_size_limit": 200_000}
SETTLED_S = 2.0  # longer than the sync interval of 200 ms and the back-off before hibernation
HIBERNATED_S = 3.5  # acknowledgements alone are written when the queue hibernates (W203)
NEW_SMALL, NEW_LARGE = 12, 5
MESSAGES = 150

KINDS = ("clean", "killed", "unsettled")
FANS = 40
DESIGNED = {
    "large": (60, (True,)),
    "holes": (120, (True, False, True)),
    "small": (30, (False,)),
    "fan-1": (FANS, (True, True, False)),
    "lazy": (50, (True, False)),
}
"""What a client takes, and which of it it acknowledges, over and over."""

Expected = dict[str, list[TakenMessage]]
Messages = dict[str, list[tuple[bytes, dict[str, Any]]]]


class Filling:
    """What the client has published, taken and acknowledged, by queue.

    Args:
        ch: a channel in confirm mode.
    """

    def __init__(self, ch: BlockingChannel) -> None:
        self._ch = ch
        self.left: Messages = {}
        self.ever: Messages = {}
        self._number = 0

    def declare(self, queue: str, durable: bool = True, **arguments: Any) -> None:
        """Make a queue of version 1."""
        named = {name.replace("_", "-"): value for name, value in arguments.items()}
        self._ch.queue_declare(queue, durable=durable, arguments=named)
        self.left[queue] = []
        self.ever[queue] = []

    def publish(
        self, queue: str, size: int, persistent: bool = True, exchange: str = "", **more: Any
    ) -> None:
        """Publish one message and wait for its confirm."""
        self._number += 1
        body = generated_body(self._number, size)
        properties = pika.BasicProperties(delivery_mode=2 if persistent else 1, **more)
        self._ch.basic_publish(exchange, "" if exchange else queue, body, properties)
        for name in self.left if exchange else [queue]:
            if exchange and not name.startswith("fan-"):
                continue
            for messages in (self.left, self.ever):
                messages[name].append((body, listed(properties)))

    def take(self, queue: str, count: int, acknowledge: Iterator[bool]) -> None:
        """Take messages and acknowledge some; the others stay unacknowledged until the connection ends."""
        kept = []
        for taken in self.left[queue][:count]:
            method, _, body = self._ch.basic_get(queue)
            if method is None or body != taken[0]:
                raise AssertionError(f"{queue}: the node itself handed out another message")
            if next(acknowledge):
                self._ch.basic_ack(method.delivery_tag)
            else:
                kept.append(taken)
        self.left[queue][:count] = kept


def cycle(*flags: bool) -> Iterator[bool]:
    """Repeat the flags without end."""
    while True:
        yield from flags


class FillingPlan(msgspec.Struct, frozen=True):
    """How much a client publishes, of which sizes, what it takes, and which of that it acknowledges.

    Args:
        count: messages of a queue, or more.
        taken: by queue: how many, and the pattern of acknowledgements.
        shift: added to the sizes that have no border near them.
    """

    count: int
    taken: dict[str, tuple[int, tuple[bool, ...]]]
    shift: int = 0


def plan(seed: int, count: int = MESSAGES) -> FillingPlan:
    """Return the plan of a filling: the same for a seed on every machine, 0 is the designed one."""
    if not seed:
        return FillingPlan(count, DESIGNED)
    rng = random.Random(f"filling {seed}")
    count = rng.randint(count // 10, count // 2)
    taken = {
        queue: (rng.randint(0, count), tuple(rng.random() < 0.6 for _ in range(rng.randint(1, 7))))
        for queue in ("small", "large", "mixed", "holes", "lazy")
    }
    fans = {queue: (rng.randint(0, FANS), (rng.random() < 0.5, True)) for queue in ("fan-1", "fan-2")}
    return FillingPlan(count, taken | fans, rng.randint(0, 3000))


def fill(ch: BlockingChannel, planned: FillingPlan, durable_only: bool = False) -> Filling:
    """Fill queues of every kind, each message confirmed, and acknowledge some.

    Args:
        ch: a channel of the node.
        planned: how much of what.
        durable_only: the release denies queues that are neither durable nor exclusive.
    """
    ch.confirm_delivery()
    count, shift = planned.count, planned.shift
    filling = Filling(ch)
    for queue in ("small", "large", "mixed", "holes", "dressed", "fan-1", "fan-2"):
        filling.declare(queue)
    filling.declare("lazy", x_queue_mode="lazy")
    if not durable_only:
        filling.declare("gone", durable=False)
    ch.exchange_declare("fan", "fanout", durable=True)
    for queue in ("fan-1", "fan-2"):
        ch.queue_bind(queue, "fan")
    for i in range(count):
        filling.publish("small", 100 + shift + i % 7)
        filling.publish("large", 5000 + shift + i % 3)
        filling.publish("mixed", (0, 20, 4092, 4093, 9000, 131064, 131065)[i % 7], persistent=i % 3 > 0)
        filling.publish("holes", (60, 7000)[i % 2])
        filling.publish("lazy", (60, 7000)[i % 2], persistent=i % 5 > 0)
    for i in range(FANS):
        filling.publish("fan", (50, 8000)[i % 2], exchange="fan")
        if not durable_only:
            filling.publish("gone", 5000)
        filling.publish(
            "dressed",
            300 if i % 2 else 6000,
            content_type="application/json",
            priority=i % 10,
            correlation_id=f"c-{i}",
            message_id=f"Größe {i}",
            app_id="interop",
            headers={
                "tenant": "north",
                "count": i,
                "share": Decimal(i) / 4,
                "on": True,
                "nested": {"deep": [1, "two", None]},
            },
        )
    for queue, (taken, acknowledged) in planned.taken.items():
        filling.take(queue, taken, cycle(*acknowledged))
    return filling


def as_seen(messages: Messages) -> Expected:
    """Return what a consumer must see after a dirty recovery, where all count as redelivered (S241)."""
    return {
        queue: [TakenMessage(body, True, named) for body, named in each if named["delivery_mode"] == 2]
        for queue, each in messages.items()
        if queue != "gone"
    }


def go_on(host: DirectoryHost | HostV2, expected: Expected) -> None:
    """Let the engine work on every queue: some are taken and acknowledged, some requeued, new ones published."""
    for queue, messages in expected.items():
        q = host.queues[queue]
        taken, tags = host.take(queue, 10)
        q.requeue(tags[len(tags) // 2 :])
        q.ack(tags[: len(tags) // 2])
        gone = sum(each.count for each in tags[: len(tags) // 2])
        del messages[:gone]
        template = host.codec.template_no(MessageTemplate(routing_keys=(queue,)))
        for count, size in ((NEW_SMALL, 200), (NEW_LARGE, 5500)):
            first = host.next_numbers(count)
            q.publish([Arrival(count, first, size, raw_persistent=True, template=template)])
            messages.extend(
                TakenMessage(generated_body(first + i, size), True, {"delivery_mode": 2})
                for i in range(count)
            )
        q.set_target(0)
        q.timeout()
        assert len(taken) <= 10


def read_with_node(node: PrivateNode, queues: list[str], acknowledge: bool) -> Expected:
    """Take what the node has, which was started again."""
    found = {}
    with channel(node.amqp_port) as ch:
        for queue in queues:
            counted = count_of(ch, queue)
            found[queue] = drain(ch, queue, acknowledge)
            if counted != len(found[queue]):
                raise AssertionError(
                    f"{queue}: the node says {counted} messages and hands out {len(found[queue])}"
                )
    return found


@contextmanager
def opened(directory: Path, release: str, left: Left | None = None) -> Iterator[DirectoryHost | HostV2]:
    """Recover a directory with the engine, and stop in order at the end.

    Args:
        directory: of the virtual host.
        release: of the node that wrote it.
        left: what its clean stop left, where the engine believes it; None for a start as after a crash.
    """
    limit = SETTINGS["msg_store_file_size_limit"]
    host = (
        HostV2(directory, "/", limit, release, left)
        if release in TODAYS
        else DirectoryHost(directory, file_size_limit=limit)
    )
    host.recover()
    yield host
    host.stop()


def copied(node: PrivateNode, copy: Path) -> Path:
    """Copy what the node left, without what only a node can read and without the queue that is not durable."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(node.vhost_directory, copy)
    forget_clean_stop(copy)
    shutil.rmtree(copy / "queues" / queue_directory("/", "gone"), ignore_errors=True)
    return copy


def run(
    report: Report, kind: str, planned: FillingPlan, release: str = LATEST, beside: ToNode | None = None
) -> None:
    """Fill a node, end it, and compare three readings of what is left.

    Args:
        report: where to count.
        kind: clean; killed after a pause in which everything was synced; unsettled: killed without a pause.
        planned: what the client does.
        release: of the node.
        beside: the other direction, in other virtual hosts of the same node.
    """
    today = release in TODAYS
    with PrivateNode(SETTINGS, release=release) as node:
        node.start()
        if beside:
            beside.prepare(node)
        with channel(node.amqp_port) as ch:
            filling = fill(ch, planned, durable_only=today)
            if kind != "unsettled":
                time.sleep(HIBERNATED_S if today else SETTLED_S)
            if kind != "clean":
                node.kill()
        node.stop()
        if beside:
            beside.write(node)
        left = clean_stop.of_node(node.vhost_directory) if today and kind == "clean" else None
        with opened(copied(node, node.root / "copy"), release, left) as host:
            found = {queue: host.take(queue)[0] for queue in host.queues}
        must, may = as_seen(filling.left), as_seen(filling.ever)
        if kind == "unsettled":
            for queue, seen in found.items():
                report.add(
                    f"{kind}: the engine reads {queue}", len(seen), _bounds(seen, must[queue], may[queue])
                )
        else:
            compare(report, f"{kind}: the engine reads", must, redelivered(found))
        copy = copied(node, node.root / "copy")
        node.start()
        if beside:
            beside.read(node)
        again = read_with_node(node, sorted(must), acknowledge=False)
        # Where the engine believed the clean stop as the node did, both say of each message whether it was delivered.
        compare(report, f"{kind}: the node itself reads", found, again if left else redelivered(again))
        found = redelivered(found)
        node.stop()
        with opened(copy, release) as host:
            go_on(host, found)
        shutil.rmtree(node.vhost_directory)
        shutil.copytree(copy, node.vhost_directory)
        forget_clean_stop(node.vhost_directory)
        node.start()
        last = read_with_node(node, sorted(must), acknowledge=True)
        compare(report, f"{kind}: after the engine went on, the node reads", found, last)


def redelivered(found: Expected) -> Expected:
    """Return messages as after a dirty start, where all count as redelivered."""
    return {
        queue: [TakenMessage(each.body, True, each.properties) for each in seen]
        for queue, seen in found.items()
    }


def _bounds(seen: list[TakenMessage], must: list[TakenMessage], may: list[TakenMessage]) -> str | None:
    bodies = [[each.body for each in messages] for messages in (seen, must, may)]
    return wrong_bodies(*bodies)


def compare(report: Report, what: str, expected: Expected, found: Expected) -> None:
    """Compare queue by queue."""
    for queue in sorted(expected.keys() | found.keys()):
        seen = found.get(queue, [])
        report.add(f"{what} {queue}", len(seen), first_difference(expected.get(queue, []), seen, "found"))
