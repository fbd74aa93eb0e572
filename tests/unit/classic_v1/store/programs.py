"""Random programs for message stores, and a world that runs one at its own grain."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from engine.storage.port import Storage
from engine.values.extents import Extent
from engine.values.sizes import at
from engine.values.stretches import Range, RangeSet
from tests.unit.classic_v1.store.harness import Client, Harness, extent, numbers
from tools.proofs.conformance.vector import store_vector

SIZES = (400, 401, 700, 1087, 2500)
CLIENTS = 3

Command = tuple[Any, ...]


@dataclass
class Limits:
    """Settings of one program."""

    limit: int
    buffer: int
    credit: tuple[int, int]


@dataclass
class Plan:
    """What a program knows while it is made up: who holds which messages."""

    chance: random.Random
    calls: bool
    """Single messages are calls of their own, settled one by one; else mailbox and collector run step by step."""
    sizes: dict[int, int] = field(default_factory=dict)
    held: list[RangeSet] = field(default_factory=lambda: [RangeSet() for _ in range(CLIENTS)])
    late: list[tuple[int, Extent]] = field(default_factory=list)
    next_msg_no: int = 0


def make_program(seed: int, length: int) -> tuple[Limits, list[Command]]:
    """Make up settings and commands that a queue could give."""
    chance = random.Random(seed)
    limit = chance.choice([1, 1500, 4000, 4000, 4000, 9000, 9000])
    limits = Limits(limit, chance.choice([0, 900, 5000, 10**6]), chance.choice([(5, 2), (40, 8)]))
    plan = Plan(chance, calls=chance.random() < 0.5)
    commands = [command for _ in range(length) for command in _commands(plan)]
    return limits, [*commands, ("settle",)]


def _commands(plan: Plan) -> Iterator[Command]:
    chance = plan.chance
    kinds = {
        "write": 30,
        "remove": 36,
        "late": 8,
        "read": 8,
        "handle": 20,
        "sync": 4,
        "gc": 14,
        "delete": 0.5,
    }
    kinds.update(settle=6, take=10) if plan.calls else kinds.update(settle=1)
    kinds.update(restart=0.5, crash=0.5)
    [kind] = chance.choices(list(kinds), list(kinds.values()))
    at = chance.randrange(CLIENTS)
    held = plan.held[at]
    if kind == "write":
        yield from _write(plan)
    elif kind == "late" and plan.late:
        to, what = plan.late.pop(chance.randrange(len(plan.late)))
        plan.held[to].add(what.msg_no, what.count)
        yield "write", to, what, False, chance.random() < 0.3
    elif kind in ("remove", "take") and held:
        taken = _some(plan, held)
        held.subtract(taken)
        single = plan.calls and (kind == "take" or chance.random() < 0.5)
        if single:
            yield ("settle",)
        if kind == "take":
            yield from (("take", at, _extent(plan, each)) for each in _alike(plan, taken))
        else:
            yield "remove", at, taken, single, chance.random() < 0.3
    elif kind == "read" and held:
        yield from (("read", at, _extent(plan, each)) for each in _alike(plan, _some(plan, held)))
    elif kind in ("handle", "gc"):
        yield kind, chance.randrange(1, 12 if kind == "gc" else 40)
    elif kind in ("sync", "settle"):
        yield (kind,)
    elif kind in ("restart", "crash"):
        yield kind, chance.random() < 0.5
    elif kind == "delete":
        held.clear()
        plan.late = [(to, what) for to, what in plan.late if to != at]
        yield "delete", at


def _write(plan: Plan) -> Iterator[Command]:
    chance = plan.chance
    what = extent(plan.next_msg_no, chance.choice([1, 2, 5, 9, 20]), chance.choice(SIZES))
    plan.next_msg_no += what.count + chance.randrange(2)
    for msg_no in range(what.msg_no, what.msg_no + what.count):
        plan.sizes[msg_no] = at(what.size_bytes, msg_no)
    single, descending = plan.calls and chance.random() < 0.4, chance.random() < 0.3
    if single:
        yield ("settle",)
    for to in chance.sample(range(CLIENTS), chance.choice([1, 1, 2, 3])):
        if chance.random() < 0.3:
            plan.late.append((to, what))
        else:
            plan.held[to].add(what.msg_no, what.count)
            yield "write", to, what, single, descending


def _some(plan: Plan, held: RangeSet) -> list[Range]:
    """Choose some of a client's messages, in an order that acks could have."""
    chance = plan.chance
    found: list[Range] = []
    for each in chance.sample(list(held), min(len(list(held)), chance.randrange(1, 8))):
        skip = chance.randrange(each.count)
        found.append(each.part(skip, chance.randrange(1, min(6, each.count - skip) + 1)))
    return found


def _alike(plan: Plan, ranges: list[Range]) -> Iterator[Range]:
    """Cut where the body size changes."""
    for each in ranges:
        start = each.start
        for msg_no in range(each.start + 1, each.end + 1):
            if msg_no == each.end or plan.sizes[msg_no] != plan.sizes[start]:
                yield Range(start, msg_no - start)
                start = msg_no


def _extent(plan: Plan, each: Range) -> Extent:
    made = extent(each.start, each.count)
    return Extent(made.start, made.count, made.msg_no, plan.sizes[each.start], made.flags)


class World:
    """A store with clients that runs a program, in runs or one message at a time.

    Args:
        storage: where its files go.
        limits: settings.
        singly: one message at a time wherever that means the same.
    """

    def __init__(self, storage: Storage, limits: Limits, singly: bool) -> None:
        self.harness = Harness(storage, limit=limits.limit, buffer=limits.buffer, credit=limits.credit)
        self.singly = singly
        self.harness.store.start_new()
        self.clients = [self._client(at) for at in range(CLIENTS)]
        self.held = [RangeSet() for _ in range(CLIENTS)]

    def _client(self, at: int) -> Client:
        return self.harness.client(f"q{at}", confirms=at != 2)

    def run(self, command: Command) -> None:
        """Carry out one command."""
        verb, *arguments = command
        getattr(self, f"_{verb}")(*arguments)

    def _parts(self, what: Extent, descending: bool = False) -> list[Extent]:
        if not self.singly:
            return [what]
        parts = [what.part(at, 1) for at in range(what.count)]
        return parts[::-1] if descending else parts

    def _write(self, at: int, what: Extent, single: bool, descending: bool) -> None:
        self.held[at].add(what.msg_no, what.count)
        side = self.clients[at].side
        for part in self._parts(what, descending):
            side.write(part, one_by_one=single, descending=descending)
            if single:
                self.harness.store.settle()

    def _remove(self, at: int, what: list[Range], single: bool, descending: bool) -> None:
        what = [part for each in what for part in self.held[at].inside(each.start, each.count)]
        self.held[at].subtract(what)
        side, settle = self.clients[at].side, self.harness.store.settle
        if self.singly and single:
            ids = [each.start + i for each in what for i in range(each.count)]
            for number in reversed(ids) if descending else ids:
                side.remove([Range(number, 1)], one_by_one=True)
                settle()
            return
        side.remove(what, one_by_one=single, descending=descending)
        if single:
            settle()

    def _present(self, at: int, what: Extent) -> list[Extent]:
        return [
            what.part(each.start - what.msg_no, each.count)
            for each in self.held[at].inside(what.msg_no, what.count)
        ]

    def _read(self, at: int, what: Extent) -> None:
        for present in self._present(at, what):
            for part in self._parts(present):
                self.clients[at].side.read(part)

    def _take(self, at: int, what: Extent) -> None:
        side, settle = self.clients[at].side, self.harness.store.settle
        for present in self._present(at, what):
            self.held[at].discard(present.msg_no, present.count)
            left = present
            while left.count:
                count = 1 if self.singly else side.alike(left)
                part, left = left.part(0, count), left.part(count, left.count - count)
                side.read(part)
                side.remove([Range(part.msg_no, count)], one_by_one=True)
                settle()

    def _handle(self, limit: int) -> None:
        self.harness.store.handle_mailbox(limit)

    def _sync(self) -> None:
        self.harness.store.sync()

    def _gc(self, steps: int) -> None:
        for _ in range(steps):
            self.harness.store.run_gc_step()

    def _settle(self) -> None:
        self.harness.store.settle()

    def _delete(self, at: int) -> None:
        self.held[at].clear()
        self.clients[at].side.delete()
        self._settle()
        self.clients[at] = self._client(at)

    def _restart(self, clean: bool) -> None:
        for client in self.clients:
            client.side.terminate()
        self.harness.store.terminate()
        self._start([f"q{at}" for at in range(CLIENTS)] if clean else [], clean)

    def _crash(self, power: bool) -> None:
        self.harness.store.kill()
        if power:
            self.harness.storage.power_cut()
        self._start([], False)

    def _start(self, refs: list[str], clean: bool) -> None:
        store = self.harness.make()
        references = [(each.start, each.count) for held in self.held for each in held]
        assert store.start(refs, lambda: references) is clean
        for held in self.held:
            there = RangeSet(part for each in held for part in store.contains(each))
            held.clear()
            held.update(there)
        self.clients = [self._client(at) for at in range(CLIENTS)]

    def shown(self) -> dict[str, Any]:
        """Return everything that must not depend on the grain."""
        notified = {
            (at, how): sorted(n for each, found in client.notified for n in found if each == how)
            for at, client in enumerate(self.clients)
            for how in ("written", "ignored")
        }
        return {
            "facts": store_vector(self.harness.store),
            "places": self.harness.places(),
            "sizes": self.harness.sizes(),
            "told": notified,
            "credit": [(client.side.account.left, sum(client.grants)) for client in self.clients],
            "held": [numbers(held) for held in self.held],
            "waiting": self.harness.store.mailbox_messages,
        }
