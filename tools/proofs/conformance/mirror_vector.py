"""The state of a cluster in the form of a mirror story (`after`)."""

from __future__ import annotations

from typing import Any

from engine.broker.cluster import Cluster
from engine.broker.mirrors.membership import QueueMember
from engine.classic_v1.queue.queue import VariableQueue
from engine.classic_v1.queue.state import LANES, PENDING, QueueState
from engine.mirrored_queue.members import MasterQueue
from engine.mirrored_queue.ring import QueueRecord


def after(node: Cluster, queue: str) -> dict[str, Any]:
    """Return which nodes run, the queue's record, and every member's engine."""
    found: dict[str, Any] = {"up": node.cluster.running, "queue": None}
    record = node.cluster.records.get(queue)
    if record is not None and node.cluster.running:
        found["queue"] = _record(node, record)
        found["members"] = _members(node, record)
    return found


def _record(node: Cluster, record: QueueRecord) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "state": "live",
        "master": record.master,
        "mirrors": list(record.mirrors),
        "synchronised": sorted(record.synchronised),
        "gms": sorted(node.cluster.rings[record.name].members),
    }
    if not record.alive:
        return {**shown, "master_alive": False}
    live = node.queues[record.name]
    if live.process.held is not None:
        return {**shown, "busy": True}
    queue = live.process.queue
    return {**shown, "ready": queue.depth, "unacked": queue.unacked, "consumers": len(live.consumers)}


def _members(node: Cluster, record: QueueRecord) -> dict[str, Any]:
    shown: dict[str, Any] = {record.master: _master(node, record)}
    for name in record.mirrors:
        member = node.cluster.members.get((record.name, name))
        if name in record.orphans:
            shown[name] = {"busy": True}
        elif member is None:
            shown[name] = {"gone": True}
        else:
            shown[name] = {"busy": True} if member.busy else _mirror(member)
    return shown


def _engine(q: QueueState) -> dict[str, Any]:
    delta = q.delta
    return {
        "len": q.len,
        **{lane: q.extents_of(lane).total for lane in LANES},
        "delta": [delta.start, delta.count, delta.transient, delta.end],
        "next_seq": q.next_seq_id,
        "next_deliver": q.next_deliver_seq_id,
        "persistent": q.persistent_count,
        "in_ram": sum(each.count for lane in LANES for each in q.extents_of(lane) if each.in_ram),
        "pending": [q.extents_of(place).total for place in PENDING],
        "unconfirmed": len(q.unconfirmed),
        "mode": q.mode,
    }


def _state(queue: Any) -> QueueState:
    engine = queue.inner if isinstance(queue, MasterQueue) else queue
    assert isinstance(engine, VariableQueue)
    return engine.state


def _master(node: Cluster, record: QueueRecord) -> dict[str, Any]:
    if not record.alive:
        return {"gone": True}
    live = node.queues[record.name]
    if live.process.held is not None:
        return {"busy": True}
    queue: Any = live.process.queue
    awaited = sum(
        each.count
        for each in node.connections.confirms.awaited
        if {record.name, f"{record.name}@{record.master}"} & set(each.queues)
    )
    shown = {"role": "master", **_engine(_state(queue)), "awaiting_confirm": awaited}
    mirrored = isinstance(queue, MasterQueue)
    return {**shown, "mirrored": mirrored, **({"seen_status": queue.seen.total} if mirrored else {})}


def _mirror(member: QueueMember) -> dict[str, Any]:
    mirror = member.mirror
    statuses: dict[str, int] = {}
    for each in mirror.known:
        statuses[each.known] = statuses.get(each.known, 0) + each.count
    return {
        "role": "mirror",
        **_engine(_state(mirror.queue)),
        "depth_delta": mirror.depth_delta,
        "msg_id_ack": mirror.kept.total,
        "msg_id_status": statuses,
        "sender_queue": mirror.waiting,
    }
