"""`python -m tools.proofs.interop.questions FILE --release 3.8.9`: what a node of a release does around its queues.

Recordings of the queue's module say nothing of alarms, credit, or who is blocked. This program asks a private node
about these, each question by commands and clients of its own, and writes the answers.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pika
from pika.adapters.blocking_connection import BlockingChannel

from tools.proofs.differential.installation import LATEST, RELEASES
from tools.proofs.differential.node import LOOPBACK, PrivateNode

QUEUE = "q"
HEARTBEAT_S = 4
PATIENCE_S = 15.0
NAMED = (
    *("vm_memory_high_watermark", "vm_memory_high_watermark_paging_ratio", "disk_free_limit"),
    *("credit_flow_default_credit", "msg_store_credit_disc_bound", "queue_index_embed_msgs_below"),
    *("msg_store_file_size_limit", "queue_index_max_journal_entries"),
    *("consumer_timeout", "channel_tick_interval", "max_message_size"),
)


class NodeQuestion:
    """A node, its command line, and clients that name their connections.

    Args:
        node: is started and stopped by these questions.
    """

    def __init__(self, node: PrivateNode) -> None:
        self.node = node
        self._clients: list[pika.BlockingConnection] = []

    def line(self, *words: str) -> list[str]:
        """Return a line of `rabbitmqctl` for this node."""
        return [*self.node.program("rabbitmqctl"), "-q", "-n", "waterline@localhost", *words]

    def ctl(self, *words: str) -> str:
        """Return what a line of `rabbitmqctl` prints. Raises CalledProcessError where it is refused."""
        done = subprocess.run(
            self.line(*words),
            env=self.node.environment(),
            cwd=self.node.root,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def term(self, expression: str) -> str:
        """Return an Erlang term as text."""
        return " ".join(self.ctl("eval", f"{expression}.").split())

    def client(self, name: str, heartbeat_s: int = 0) -> BlockingChannel:
        """Open a connection of this name with one channel, and have its queue declared."""
        client = pika.BlockingConnection(
            pika.ConnectionParameters(
                LOOPBACK,
                self.node.amqp_port,
                credentials=pika.PlainCredentials("guest", "guest"),
                heartbeat=heartbeat_s,
                client_properties={"connection_name": name},
            )
        )
        self._clients.append(client)
        channel = client.channel()
        channel.queue_declare(QUEUE, durable=True)
        return channel

    def states(self) -> dict[str, str]:
        """Return the state of each connection by its name."""
        listed = json.loads(self.ctl("list_connections", "client_properties", "state", "--formatter", "json"))
        return {
            dict_of(each["client_properties"]).get("connection_name", ""): each["state"] for each in listed
        }

    def until(self, met: Callable[[], bool]) -> bool:
        """Return whether something becomes so in time."""
        last = time.monotonic() + PATIENCE_S
        while not met():
            if time.monotonic() > last:
                return False
            time.sleep(0.2)
        return True


def dict_of(table: Any) -> dict[str, Any]:
    """Return a table of client properties, which one release prints as pairs and another as an object."""
    pairs = (
        table.items()
        if isinstance(table, dict)
        else (each[:3:2] if len(each) == 3 else each for each in table)
    )
    return {str(name): value for name, value in pairs}


def settings(asked: NodeQuestion) -> dict[str, Any]:
    """Return what the node's own file of defaults says, whatever this node was started with."""
    found = asked.term(
        'begin {ok, File, _} = erl_prim_loader:get_file(code:where_is_file("rabbit.app")), '
        "{ok, Words, _} = erl_scan:string(binary_to_list(File)), "
        "{ok, {application, rabbit, All}} = erl_parse:parse_term(Words), "
        f"Env = proplists:get_value(env, All), [{{N, proplists:get_value(N, Env)}} || N <- [{', '.join(NAMED)}]] end"
    )
    return {
        "defaults": found,
        "memory_check_interval_ms": asked.term("vm_memory_monitor:get_check_interval()"),
        "disk_check_intervals_ms": asked.term(
            "{rabbit_disk_monitor:get_min_check_interval(), rabbit_disk_monitor:get_max_check_interval()}"
        ),
    }


def process(asked: NodeQuestion) -> dict[str, Any]:
    """Return which process has a queue's protocol, and which has its backing queue's state."""
    asked.client("asks")
    state = (
        'begin {ok, Q} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, <<"q">>)), '
        "[P] = [E || E <- tuple_to_list(sys:get_state(amqqueue:get_pid(Q))), "
        "is_tuple(E), E =/= {}, element(1, E) =:= q], "
        "[element(1, P), [E || E <- tuple_to_list(P), "
        "lists:member(E, [rabbit_variable_queue, rabbit_priority_queue])], "
        "[element(1, E) || E <- tuple_to_list(P), is_tuple(E), E =/= {}, "
        "lists:member(element(1, E), [vqstate, passthrough])]] end"
    )
    return {"protocol_backing_queue_and_its_state_in_one_process": asked.term(state)}


def memory_alarm(asked: NodeQuestion) -> dict[str, Any]:
    """Return who is blocked by a memory alarm, who goes on, and what is left of the command after a restart."""
    publisher, _silent = asked.client("publishes", HEARTBEAT_S), asked.client("silent")
    publisher.basic_publish("", QUEUE, b"before")
    told: list[str] = []
    publisher.connection.add_on_connection_blocked_callback(lambda *_: told.append("connection.blocked"))
    before = asked.term("vm_memory_monitor:get_vm_memory_high_watermark()")
    asked.ctl("set_vm_memory_high_watermark", "0.00001")

    def state() -> str | None:
        publisher.connection.process_data_events(0)  # it goes on sending its heartbeats
        found = asked.states().get("publishes")
        publisher.connection.process_data_events(0)
        return found

    blocking = asked.until(lambda: state() == "blocking")
    publisher.basic_publish("", QUEUE, b"under the alarm")
    blocked = asked.until(lambda: state() == "blocked")
    method, _, body = asked.client("consumes").basic_get(QUEUE, auto_ack=True)
    began = time.monotonic()
    while time.monotonic() - began < 4 * HEARTBEAT_S:
        publisher.connection.process_data_events(0.2)
    states = asked.states()
    asked.ctl("set_vm_memory_high_watermark", "0.7")
    freed = asked.until(lambda: state() == "running")
    at_run_time = asked.term("vm_memory_monitor:get_vm_memory_high_watermark()")
    asked.node.stop()
    asked.node.start()
    return {
        "watermark_before": before,
        "connection_that_published_before": "blocking" if blocking else "?",
        "after_its_next_publish": "blocked" if blocked else "?",
        "it_was_told": told,
        "connection_that_never_published": states.get("silent"),
        "a_consumer_took": body.decode() if method else None,
        "state_after_four_heartbeats_without_a_reader": states.get("publishes"),
        "freed_with_the_alarm": freed,
        "watermark_at_run_time": at_run_time,
        "watermark_after_a_restart": asked.term("vm_memory_monitor:get_vm_memory_high_watermark()"),
    }


def disk_alarm(asked: NodeQuestion) -> dict[str, Any]:
    """Return who is blocked by a disk alarm, what becomes of the wanted duration, and of the limit after a restart."""
    publisher = asked.client("publishes")
    asked.ctl("set_disk_free_limit", "500000000000000")
    publisher.basic_publish("", QUEUE, b"under the alarm")
    blocked = asked.until(lambda: asked.states().get("publishes") == "blocked")
    alarms = asked.term("[element(2, A) || {A, _} <- rabbit_alarm:get_alarms(), is_tuple(A)]")
    duration = asked.term(
        "[{element(6, E), element(7, E)} || E <- tuple_to_list(sys:get_state(rabbit_memory_monitor)), "
        "is_tuple(E), tuple_size(E) =:= 7, element(1, E) =:= state]"
    )
    at_run_time = asked.term("rabbit_disk_monitor:get_disk_free_limit()")
    asked.node.stop()
    asked.node.start()
    return {
        "connection_that_publishes": "blocked" if blocked else "?",
        "alarms": alarms,
        "wanted_duration_and_disk_alarm": duration,
        "limit_at_run_time": at_run_time,
        "limit_after_a_restart": asked.term("rabbit_disk_monitor:get_disk_free_limit()"),
    }


def credit(asked: NodeQuestion) -> dict[str, Any]:
    """Return the states that a publisher's connection is seen in while it sends faster than the queue takes."""
    publisher, seen = asked.client("floods"), set[str]()
    last = time.monotonic() + 2 * PATIENCE_S
    looks = (
        "lists:usort(lists:append([begin timer:sleep(5), [S || [{state, S}] <- "
        "rabbit_networking:connection_info_all([state])] end || _ <- lists:seq(1, 400)]))."
    )
    while "flow" not in seen and time.monotonic() < last:
        look = subprocess.Popen(
            asked.line("eval", looks),
            env=asked.node.environment(),
            cwd=asked.node.root,
            stdout=subprocess.PIPE,
            text=True,
        )
        while look.poll() is None:
            publisher.basic_publish("", QUEUE, bytes(6000), pika.BasicProperties(delivery_mode=2))
        assert look.stdout is not None
        seen.update(look.stdout.read().strip().strip("[]").split(","))
    publisher.queue_purge(QUEUE)
    return {"states_of_a_connection_that_floods": sorted(seen & {"running", "flow"})}


def index_missing(asked: NodeQuestion) -> dict[str, Any]:
    """Return what becomes of a queue of 20 persistent messages whose index was removed after an orderly stop."""
    publisher, queues = asked.client("publishes"), asked.node.vhost_directory / "queues"
    publisher.queue_delete(QUEUE)  # what other questions left; a purge would lose the terms (W201)
    publisher.queue_declare(QUEUE, durable=True)
    publisher.confirm_delivery()
    for _ in range(20):
        publisher.basic_publish("", QUEUE, bytes(50), pika.BasicProperties(delivery_mode=2))
    publisher.connection.close()
    asked.node.stop()
    names = {".idx", ".qi", ".jif"}
    removed = sorted(path for path in queues.glob("*/*") if path.suffix in names)
    for path in removed:
        path.unlink()
    asked.node.start()
    left = asked.client("looks").queue_declare(QUEUE, passive=True).method.message_count

    def reason() -> re.Match[str] | None:
        log = re.sub(r"(?m)^\S+ \S+ \[\w+\] <[\d.]+>", "", asked.node.log(2000))
        return re.search(r"\{function_clause,\s*\[\{(\w+),(\w+),\s*\[(.*?)\],", log, re.DOTALL)

    asked.until(lambda: reason() is not None)
    found = reason()
    return {
        "removed": sorted({path.name for path in removed}),
        "messages_after": left,
        "process_died_of": None if found is None else [found[1], found[2], "".join(found[3].split())],
    }


def consumer_timeout(asked: NodeQuestion) -> dict[str, Any]:
    """Return what becomes of a channel whose consumer acknowledges nothing, with 4 s for that and a tick of 2 s."""
    asked.node.stop()
    asked.node.configure({"consumer_timeout": 4000, "channel_tick_interval": 2000})
    asked.node.start()
    channel = asked.client("consumes")
    channel.queue_purge(QUEUE)
    for _ in range(3):
        channel.basic_publish("", QUEUE, b"waits", pika.BasicProperties(delivery_mode=2))
    closed: list[Any] = []
    channel.add_on_cancel_callback(lambda _: closed.append("cancelled"))
    # pika's blocking face keeps to itself why a channel ended that asks for nothing.
    channel._impl.add_on_close_callback(lambda _, why: closed.extend((why.reply_code, why.reply_text)))
    channel.basic_consume(QUEUE, lambda *_: None)
    began = time.monotonic()
    while not closed and time.monotonic() - began < 2 * PATIENCE_S:
        channel.connection.process_data_events(0.2)
    ready = asked.client("looks").queue_declare(QUEUE, passive=True).method.message_count
    return {"closed": closed, "ready_after": ready}


QUESTIONS = (settings, process, memory_alarm, disk_alarm, credit, index_missing, consumer_timeout)


def ask(release: str, only: str | None = None) -> dict[str, Any]:
    """Ask a private node everything, or one question; return its answers by question."""
    with PrivateNode(release=release) as node:
        node.start()
        asked = NodeQuestion(node)
        found: dict[str, Any] = {
            "release": asked.term("rabbit_misc:version()").strip('"'),
            "erlang": asked.term("rabbit_misc:otp_release()").strip('"'),
        }
        for question in QUESTIONS:
            if only not in (None, question.__name__):
                continue
            print(f"{question.__name__} ...", flush=True)
            found[question.__name__] = question(asked)
        node.stop()
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Ask and write."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.interop.questions", description=__doc__)
    parser.add_argument("file", type=Path, help="where to write the answers")
    parser.add_argument("--release", choices=RELEASES, default=LATEST, help="of the real broker")
    names = [each.__name__ for each in QUESTIONS]
    parser.add_argument("--only", choices=names, help="one question; the file keeps its other answers")
    options = parser.parse_args(argv)
    kept = (
        json.loads(options.file.read_text(encoding="utf-8")) if options.only and options.file.exists() else {}
    )
    found = {**kept, **ask(options.release, options.only)}
    options.file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
