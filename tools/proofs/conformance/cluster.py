"""The cluster door as the recording driver used it: operations of a mirror story, one method each.

A step is one operation; then virtual time passes until nothing changes any more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from engine.broker.clients.channel import DeliveredMessages
from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import ParsedScenario, Topology
from engine.mirrored_queue import instructions as to_do
from engine.report.transitions.base import Transition
from engine.report.transitions.node import ChannelClosed, ConnectionClosed, ConsumerCancelled
from engine.storage.port import Storage
from engine.values.errors import CommandError
from engine.values.stretches import Range
from tools.proofs.conformance import mirror_vector
from tools.proofs.conformance.received import Received

QUEUE: Final = "q"
POLICY: Final = "ha"
KEEP_EVENTS: Final = 100_000
REST_US: Final = 400_000
"""How long the recorder waits after a step: disks are synced then, and all members at rest."""


class ClusterDoor:
    """Three nodes with one queue, driven by the steps of a story.

    Args:
        storage: where the files go.
        emit: receives every transition.
    """

    def __init__(self, storage: Storage, emit: Callable[[Transition], None] = lambda t: None) -> None:
        scenario = ParsedScenario(profile="real", settings={"nodes": 3}, topology=Topology())
        self.node = Cluster(scenario, storage, keep=KEEP_EVENTS)
        self._next = self.node.log.number
        self.received = Received()
        self.node.roll.observer = self._observed
        self.node.consumers.observe(self._delivered)
        self.node.connections.confirms.observer = self._confirmed
        self._seen = emit
        self._clients: dict[str, dict[str, Any]] = {}
        self._confirm: dict[str, bool] = {}
        self._on: dict[str, str] = {}
        self._last: str | None = None
        """The node that stopped last."""
        self._got: list[Any] = []
        self._answer: str | None = None

    # --- what is observed --------------------------------------------------------------------------------------------

    def _observed(self, node: str, kind: str, what: Any) -> None:
        if isinstance(what, to_do.MirrorInstruction):
            self.received.instruction(node, what)
        else:
            self.received.count(node, kind, what)

    def _client(self, name: str) -> dict[str, Any]:
        return self._clients.setdefault(name, {})

    def _delivered(self, delivered: DeliveredMessages) -> None:
        for i in range(delivered.count):
            place = delivered.offset + i * delivered.step
            message = delivered.extent.msg_no + place
            again = place < delivered.redelivered
            tag = delivered.tag + i
            if delivered.consumer is None:
                self._got.append([tag, message, again])
                continue
            runs = self._client(delivered.consumer.partition("-")[0]).setdefault("deliveries", [])
            name = delivered.consumer.partition("-")[2]
            if runs and _goes_on(runs[-1], name, tag, message, again):
                runs[-1][2], runs[-1][4] = tag, message
            else:
                runs.append([name, tag, tag, message, message, again])

    def _confirmed(self, actor: str, numbers: Sequence[Range], good: bool) -> None:
        self._client(actor).setdefault("confirmed" if good else "nacked", []).extend(
            number for each in numbers for number in range(each.start, each.end)
        )

    def _read_log(self) -> None:
        """Look at what happened since the last step."""
        rows = self.node.log.since(self._next)
        for transition in rows.rows if rows is not None else ():
            self._note(transition)
        self._next = self.node.log.number

    def _note(self, transition: Transition) -> None:
        self._seen(transition)
        match transition:
            case (
                ChannelClosed(actor=actor, code=code, text=text)
                | ConnectionClosed(actor=actor, code=code, text=text)
            ) if code != 200:
                self._confirm[actor] = False  # the new channel is in no mode
                self._client(actor)["closed"] = [code, text.replace("vhost '/'", "vhost 'v'")]
            case ConsumerCancelled(actor=consumer, why={"cause": cause}) if cause != "cancelled":
                client, _, tag = consumer.partition("-")
                self._client(client).setdefault("cancelled", []).append(tag)

    # --- steps -------------------------------------------------------------------------------------------------------

    def step(self, step: dict[str, Any]) -> dict[str, Any]:
        """Execute one step; return what the story calls result, clients, wire (absent when empty) and after."""
        self._clients, self._got, self._answer = {}, [], None
        self.received.begin()
        running = set(self.node.cluster.running)
        result = getattr(self, f"_{step['op']}")(step)
        rest_us = step.get("ms", 0) * 1000 + REST_US
        self.node.advance(self.node.now_us + rest_us)
        self._read_log()
        outcome: dict[str, Any] = {}
        if "closed" in self._clients.get(step.get("client", ""), {}) and step["op"] == "delete":
            result = {"closed": self._clients.pop(step["client"])["closed"]}
        if "closed" in self._clients.get(step.get("client", ""), {}) and step["op"] in ("ack", "nack"):
            # The recorder's client ends its connection where nothing waits for the channel's answer.
            self._clients[step["client"]] = {"connection_lost": True}
        if result:
            outcome["result"] = result
        clients = {name: _shown(client) for name, client in self._clients.items() if client}
        if clients:
            outcome["clients"] = clients
        both = running & set(self.node.cluster.running)
        wire = {name: each for name, each in self.received.shown().items() if name in both and each}
        if wire:
            outcome["wire"] = wire
        outcome["after"] = mirror_vector.after(self.node, QUEUE)
        return outcome

    def _do(self, verb: str, **fields: Any) -> None:
        self.node.submit({"do": verb, **fields})

    # --- operations, named as in the story ---------------------------------------------------------------------------

    def _policy(self, step: dict[str, Any]) -> dict[str, Any]:
        try:
            self._do("set_policy", name=POLICY, pattern=".*", definition=step["definition"])
        except CommandError as error:
            return {"refused": f"Validation failed\n\n{error}\n"}
        return {}

    def _clear_policy(self, _: dict[str, Any]) -> dict[str, Any]:
        self._do("clear_policy", name=POLICY)
        return {}

    def _connect(self, step: dict[str, Any]) -> dict[str, Any]:
        self._confirm[step["client"]] = step.get("confirm", False)
        self._on[step["client"]] = step["on"]
        self._do("connect", name=step["client"], node=step["on"])
        return {}

    def _disconnect(self, step: dict[str, Any]) -> dict[str, Any]:
        self._do("remove", name=step["client"])
        self._clients.pop(step["client"], None)
        del self._on[step["client"]]
        return {}

    def _declare(self, step: dict[str, Any]) -> dict[str, Any]:
        self._do(
            "declare_queue",
            name=QUEUE,
            channel=step["client"],
            durable=step.get("durable", True),
            exclusive=step.get("exclusive", False),
            arguments=step.get("arguments", {}),
        )
        live = self.node.queues[QUEUE]
        return {"ready": live.depth, "consumers": len(live.consumers)}

    def _publish(self, step: dict[str, Any]) -> dict[str, Any]:
        first = self.node.kinds.next_msg_no + sum(
            batch.count for hand in self.node.consumers.by_hand.values() for batch in hand.publisher.stopped
        )
        expiration = {"expiration_ms": step["expiration_ms"]} if "expiration_ms" in step else {}
        self._do(
            "publish",
            count=step["count"],
            size_bytes=step["size"],
            persistent=step["persistent"],
            confirm=self._confirm[step["client"]],
            routing_key=QUEUE,
            channel=step["client"],
            **expiration,
        )
        return {"messages": [first, first + step["count"] - 1]}

    def _consume(self, step: dict[str, Any]) -> dict[str, Any]:
        arguments = step.get("arguments", {})
        self._do(
            "set_consumer",
            name=f"{step['client']}-{step['tag']}",
            queue=QUEUE,
            ack="auto" if step.get("no_ack") else "manual",
            rate_per_s=1_000_000,
            prefetch=step.get("prefetch", 0),
            channel=step["client"],
            cancel_on_failover=arguments.get("x-cancel-on-ha-failover", False),
        )
        return {}

    def _cancel(self, step: dict[str, Any]) -> dict[str, Any]:
        self._do("cancel", name=f"{step['client']}-{step['tag']}")
        return {}

    def _ack(self, step: dict[str, Any]) -> dict[str, Any]:
        for tag in step["tags"]:
            self._do("ack_tag", tag=tag, multiple=step.get("multiple", False), channel=step["client"])
        return {}

    def _nack(self, step: dict[str, Any]) -> dict[str, Any]:
        for tag in step["tags"]:
            self._do(
                "nack_tag",
                tag=tag,
                multiple=step.get("multiple", False),
                requeue=step.get("requeue", True),
                channel=step["client"],
            )
        return {}

    def _get(self, step: dict[str, Any]) -> dict[str, Any]:
        got: list[Any] = []
        for _ in range(step["count"]):
            self._got = []
            self._do("get", count=1, ack=not step.get("no_ack"), queue=QUEUE, channel=step["client"])
            left = self.node.queues[QUEUE].depth
            got.append([*self._got[0], left] if self._got else None)
        return {"got": got}

    def _purge(self, step: dict[str, Any]) -> dict[str, Any]:
        ready = self.node.queues[QUEUE].depth
        self._do("purge", queue=QUEUE, channel=step["client"])
        return {"purged": ready}

    def _delete(self, step: dict[str, Any]) -> dict[str, Any]:
        ready = self.node.queues[QUEUE].depth
        self._do("delete_queue", name=QUEUE, if_empty=step.get("if_empty", False), channel=step["client"])
        return {"deleted": ready}

    def _sync(self, step: dict[str, Any]) -> dict[str, Any]:
        try:
            self._do("sync_queue", queue=QUEUE)
        except CommandError:
            return {"answer": "{error,not_mirrored}"}
        return {"answer": "started" if step.get("nowait") else "ok"}

    def _cancel_sync(self, step: dict[str, Any]) -> dict[str, Any]:
        running = QUEUE in self.node.cluster.syncs
        self._do("cancel_sync_queue", queue=QUEUE)
        if step.get("nowait"):
            return {"answer": "started"}
        return {"answer": "ok" if running else "{ok,not_syncing}"}

    # --- nodes -------------------------------------------------------------------------------------------------------

    def _kill(self, step: dict[str, Any]) -> dict[str, Any]:
        master = self.node.cluster.records[QUEUE].master if QUEUE in self.node.cluster.records else None
        # Where several die at once none of them takes over meanwhile: a master goes last.
        for node in sorted(named(step), key=lambda name: name == master):
            self._do("kill_node", node=node)
            for client in self._gone(node):
                self._clients[client] = {"connection_lost": True}
        return {}

    def _stop(self, step: dict[str, Any]) -> dict[str, Any]:
        self._do("stop_node", node=step["on"])
        self._gone(step["on"])
        return {}

    def _gone(self, node: str) -> list[str]:
        self._last = node
        gone = [client for client, on in self._on.items() if on == node]
        for client in gone:
            del self._on[client]
        return gone

    def _start(self, step: dict[str, Any]) -> dict[str, Any]:
        first = (
            None if self.node.cluster.running else self._last
        )  # where none runs, the others wait for that one
        for node in sorted(named(step), key=lambda name: name != first):
            self._do("start_node", node=node)
        return {}

    def _kill_queue(self, step: dict[str, Any]) -> dict[str, Any]:
        self._do("kill_queue", queue=QUEUE, node=step["on"])
        return {}

    def _freeze(self, step: dict[str, Any]) -> dict[str, Any]:
        self._do("freeze", node=step["on"], what=step["what"], queue=QUEUE)
        return {}

    def _thaw(self, step: dict[str, Any]) -> dict[str, Any]:
        self._do("thaw", node=step["on"], queue=QUEUE)
        return {}

    def _set_target(self, step: dict[str, Any]) -> dict[str, Any]:
        target = None if step["target"] == "infinity" else step["target"]
        self._do("set", name="target_ram_count", value=target, queue=QUEUE, node=step["on"])
        return {}

    def _transfer(self, step: dict[str, Any]) -> dict[str, Any]:
        self._do("move_master", node=step["to"], queue=QUEUE)
        return {"answer": f"{{migrated,{step['to']}}}"}

    def _wait(self, _: dict[str, Any]) -> dict[str, Any]:
        return {}

    def _look(self, _: dict[str, Any]) -> dict[str, Any]:
        return {}


def named(step: dict[str, Any]) -> list[str]:
    """Return the nodes that a step is on: one, or a list."""
    on: str | list[str] = step["on"]
    return [on] if isinstance(on, str) else on


def _goes_on(run: list[Any], name: str, tag: int, message: int, again: bool) -> bool:
    same: bool = run[0] == name and run[2] + 1 == tag and run[4] + 1 == message and run[5] == again
    return same


def _shown(client: dict[str, Any]) -> dict[str, Any]:
    """Return what arrived at a client as the story has it: publish numbers as sorted runs."""
    shown = dict(client)
    for key in ("confirmed", "nacked"):
        if key in shown:
            runs: list[list[int]] = []
            for number in sorted(shown[key]):
                if runs and runs[-1][1] + 1 == number:
                    runs[-1][1] = number
                else:
                    runs.append([number, number])
            shown[key] = runs
    return shown
