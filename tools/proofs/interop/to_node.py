"""The engine writes, the real node boots from it and hands everything to a real client."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec

from engine.classic_v1.transitions import FilesCombined
from engine.formats.names import vhost_directory
from engine.report.transitions.base import Transition
from engine.storage.directory import DirectoryStorage
from tools.proofs.conformance.door import settings_of
from tools.proofs.differential.driver import Driver
from tools.proofs.differential.installation import LATEST, OLD, TODAYS
from tools.proofs.differential.node import PrivateNode
from tools.proofs.differential.programs import MOST_ENTRIES, ModuleProgram
from tools.proofs.differential.programs_v2 import ProgramV2
from tools.proofs.interop import cases_v2, clean_stop
from tools.proofs.interop.cases import (
    BASE,
    DESIGNED,
    SYNC,
    Door,
    Live,
    fetch,
    publish,
    run_designed,
    run_random,
)
from tools.proofs.interop.clean_stop import Left
from tools.proofs.interop.client import channel, count_of, drain
from tools.proofs.interop.host import DirectoryHost, DirectoryNode, TakenMessage, forget_clean_stop, make_room
from tools.proofs.interop.host_v2 import HostV2, NodeDoorV2
from tools.proofs.interop.report import Report, first_difference, wrong_bodies

ENDINGS = ("clean", "killed", "unsynced")


class Case(msgspec.Struct):
    """One virtual host: a queue that the engine wrote, and how it ended.

    Args:
        ending: clean; killed after a sync of everything; or unsynced: killed with more in its buffers.
        design: name of a designed case; empty for a random one.
        must: bodies that must come back, derived from the steps alone.
        may: bodies that may come back.
        expected: what the engine itself finds when it recovers from the directory.
        release: of the broker whose rules the engine follows.
        left: what a clean stop left that the node believes; None where it starts as after a crash.
    """

    vhost: str
    config: dict[str, Any]
    ending: str
    design: str = ""
    seed: int = 0
    must: list[bytes] | None = None
    may: list[bytes] | None = None
    expected: list[TakenMessage] = []
    release: str = LATEST
    left: Left | None = None
    segments: int = 0
    store_files: int = 0
    combined: int = 0


def all_cases(
    random_count: int, seed: int, most_designed: int | None = None, release: str = LATEST
) -> list[Case]:
    """Return the designed cases with each ending, and random programs.

    Args:
        random_count: how many random programs.
        seed: of the first of them.
        most_designed: how many of the designed cases; None for all.
        release: of the broker; a 3.8's segments always have 16,384 entries (V6).
    """
    base, designed = _designed(release)
    fixed = {"segment_entry_count": MOST_ENTRIES} if release == OLD else {}
    cases = [
        Case(f"{name} {ending}", {**base, **settings, **fixed}, ending, design=name, release=release)
        for name, (settings, _) in list(designed.items())[:most_designed]
        for ending in ENDINGS
    ]
    left = random_count
    while left:
        program = _program(seed, release)
        if program.config["durable"]:
            ending = "killed" if left % 2 else "clean"
            config = {**base, **program.config}
            cases.append(Case(f"random {seed} {ending}", config, ending, seed=seed, release=release))
            left -= 1
        seed += 1
    return cases


def _designed(release: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return (cases_v2.BASE, cases_v2.DESIGNED) if release in TODAYS else (BASE, DESIGNED)


def _program(seed: int, release: str) -> ModuleProgram:
    """Return a random program; the segments of a 4.x are those of its node."""
    if release not in TODAYS:
        return ModuleProgram(seed, whole_segments=release == OLD)
    program = ProgramV2(seed)
    program.config["segment_entry_count"] = cases_v2.SEGMENT
    return program


def write(case: Case, directory: Path, node: PrivateNode) -> None:
    """Let the engine fill the directory and end as the case says.

    Args:
        case: what to do.
        directory: of the virtual host.
        node: that reads it afterwards; it is down.
    """
    (_write_todays if case.release in TODAYS else _write)(case, directory, node)
    case.segments = len([*directory.glob("queues/*/*.idx"), *directory.glob("queues/*/*.qi")])
    case.store_files = len(list(directory.glob("msg_store_persistent/*.rdq")))


def _write_todays(case: Case, directory: Path, node: PrivateNode) -> None:
    make_room(directory, None)
    storage = DirectoryStorage(str(directory))
    door = NodeDoorV2({**case.config, "vhost": case.vhost}, case.release, storage)
    whole = True
    if case.design:
        _run_designed(case, door)
    else:
        whole = run_random(door, _program(case.seed, case.release))
    left = door.end(killed=case.ending != "clean" or not whole)
    storage.close()
    if left is not None:
        clean_stop.for_node(left, directory, node, door.settings.counts_deliveries)
        case.left = clean_stop.of_node(directory) if left.terms else None


def _write(case: Case, directory: Path, _node: PrivateNode) -> None:
    settings = settings_of(f"RabbitMQ {case.release}")
    make_room(directory, case.config["segment_entry_count"] if settings.writes_config else None)
    combined: list[Transition] = []
    door = DirectoryNode(
        {**case.config, "vhost": case.vhost},
        DirectoryStorage(str(directory)),
        lambda each: combined.append(each) if isinstance(each, FilesCombined) else None,
        settings,
    )
    whole = True
    if case.design:
        _run_designed(case, door)
    else:
        whole = run_random(door, _program(case.seed, case.release))
    door.end(killed=case.ending != "clean" or not whole)
    assert isinstance(door.storage, DirectoryStorage)
    door.storage.close()
    forget_clean_stop(directory)
    case.combined = len(combined)


def _run_designed(case: Case, door: Door) -> None:
    live = Live()
    run_designed(door, [{"op": "init"}, *_designed(case.release)[1][case.design][1]], live)
    case.must = case.may = live.bodies()
    if case.ending != "clean":
        run_designed(door, [SYNC], live)
    if case.ending == "unsynced":
        before = set(live.messages)
        run_designed(door, [publish(25, 100), publish(5, 6000), fetch(3, False)], live)
        live.messages = {seq: each for seq, each in live.messages.items() if seq in before}
        case.must, case.may = live.bodies(), live.all_bodies()


def read_by_engine(case: Case, directory: Path, scratch: Path) -> list[TakenMessage]:
    """Recover a copy of the directory, as a node will recover the directory itself (S243)."""
    shutil.copytree(directory, scratch)
    limit = case.config["msg_store_file_size_limit"]
    host = (
        HostV2(scratch, case.vhost, limit, case.release, case.left)
        if case.release in TODAYS
        else DirectoryHost(scratch, case.vhost, limit)
    )
    host.recover()
    seen = host.take("cq")[0] if "cq" in host.queues else []
    host.stop()
    shutil.rmtree(scratch)
    return seen


def compare(case: Case, node: PrivateNode) -> tuple[int, str | None]:
    """Take everything from the node; return how many messages came and what is wrong with them."""
    with channel(node.amqp_port, case.vhost) as ch:
        counted = count_of(ch, "cq")
        seen = drain(ch, "cq", acknowledge=True)
    problem = first_difference(case.expected, seen, "from the node")
    if problem is None and counted != len(seen):
        problem = f"the node says {counted} messages and hands out {len(seen)}"
    if problem is None and case.must is not None and case.may is not None:
        problem = wrong_bodies([each.body for each in seen], case.must, case.may)
    if problem is None and case.left is None and not all(each.redelivered for each in seen):
        problem = "some messages are not marked as redelivered after a dirty recovery"
    return len(seen), problem


class ToNode:
    """One direction, beside a client's filling of the same node: starting a node costs more than all that it reads.

    Args:
        report: where to count.
        cases: what the engine writes, each into a virtual host of its own.
    """

    def __init__(self, report: Report, cases: list[Case]) -> None:
        self._report = report
        self._cases = cases
        self.broker = ""

    def prepare(self, node: PrivateNode) -> None:
        """Make the virtual hosts and their queues, and note what the node is; it runs."""
        with Driver(node.driver_port) as driver:
            about = driver.ask({"do": "about"})
            for case in self._cases:
                driver.ask({"do": "vhost", "name": case.vhost})
        for case in self._cases:
            with channel(node.amqp_port, case.vhost) as ch:
                ch.queue_declare("cq", durable=True)
        self.broker = f"RabbitMQ {about['version']}, Erlang/OTP {about['otp']}"

    def write(self, node: PrivateNode) -> None:
        """Let the engine write what the node finds at its next start; it is down."""
        for case in self._cases:
            place = node.vhost_directory.parent / vhost_directory(case.vhost)
            write(case, place, node)
            case.expected = read_by_engine(case, place, node.root / "copy")

    def read(self, node: PrivateNode) -> None:
        """Take everything from the node, which runs again."""
        for case in self._cases:
            self._report.add(case.vhost, *compare(case, node))
            self._report.segments += case.segments
            self._report.store_files += case.store_files
            self._report.combined += case.combined
