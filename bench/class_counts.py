"""What a class costs, counted: statements and transactions of an answer, and of commands that come at the same moment.

Counts are the same however busy a machine is. A server's own code runs in a process beside this one, on a database of
its own, with one worker.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from unittest import mock

from bench.measure import Result, calls
from tools import live_server

SESSIONS = 20
PLACE = "/learn/waterline/first-in/"
PROGRAM = "import json; from bench.class_counts import counted; print(json.dumps(counted()))"
BOUNDS = {
    "statements_of_an_answer": 10,
    "transactions_of_an_answer": 1,
    "statements_of_its_page": 6,
    "transactions_of_its_page": 0,
    "transactions_of_twenty_commands": 10,
    "writes_to_the_worker_for_twenty_commands": 4,
    "writes_to_the_worker_for_a_freeze_of_twenty": 1,
}
"""What may not be exceeded. Of commands that come at once, some may come a turn of the loop later than others."""


def run(tiny: bool) -> Result:
    """Measure."""
    with tempfile.TemporaryDirectory(prefix="waterline-") as scratch:
        live_server.prepare(Path(scratch))
        variables = {**live_server.environment(Path(scratch)), "WATERLINE_WORKERS": "1"}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=variables, stdout=subprocess.PIPE, check=True
        )
    found: Result = json.loads(done.stdout)
    return {**found, "passed": all(found[name] <= most for name, most in BOUNDS.items())}


def counted() -> Result:
    """Count, on the database that the environment names."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
    import django  # noqa: PLC0415 - in a process of its own, whose settings are not this one's

    django.setup()
    return {**answers(), **asyncio.run(commands())}


def answers() -> Result:
    """Count what a student's second answer and the page after it take."""
    from django.conf import settings  # noqa: PLC0415
    from django.contrib.auth import get_user_model  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415

    from playground.classroom import services  # noqa: PLC0415

    settings.ALLOWED_HOSTS = ["*"]
    teacher = get_user_model().objects.create_user("teacher")
    code = services.make_class(teacher, "Bench", ["waterline"], 30).join_code
    student = Client()
    student.post("/class/join/", {"code": code, "nickname": "owl"})
    student.post(PLACE + "begin")
    answer = partial(student.post, PLACE + "answer", {"answer": "q4"})
    page = partial(student.get, PLACE)
    for work in (answer, page):  # the first ones begin things
        work()
    found: Result = {}
    for name, work in (("an_answer", answer), ("its_page", page)):
        statements, transactions = _asked(work)
        found[f"statements_of_{name}"], found[f"transactions_of_{name}"] = statements, transactions
        found[f"calls_of_{name}"] = calls(work)
    return found


def _asked(work: Callable[[], object]) -> tuple[int, int]:
    """Return how many statements and how many transactions that write a piece of work makes."""
    from django.db.backends.utils import CursorWrapper  # noqa: PLC0415

    statements = transactions = 0
    usual = CursorWrapper.execute

    def execute(cursor: CursorWrapper, sql: str, params: object = None) -> object:
        nonlocal statements, transactions
        word = sql.split(maxsplit=1)[0]
        alone = word in {"INSERT", "UPDATE", "DELETE"} and not cursor.db.in_atomic_block
        statements, transactions = statements + 1, transactions + (alone or word == "BEGIN")
        return usual(cursor, sql, params)

    with mock.patch.object(CursorWrapper, "execute", execute):
        work()
    return statements, transactions


async def commands() -> Result:
    """Count what commands of many sessions and a freeze of all take where they come at the same moment."""
    from playground.hosting import protocol  # noqa: PLC0415
    from playground.hosting.audience import SessionClient  # noqa: PLC0415
    from playground.hosting.pool import WorkerEnd  # noqa: PLC0415
    from playground.records import database_record, kept_runs  # noqa: PLC0415
    from playground.sessions import live_hosts  # noqa: PLC0415

    begun = [
        await asyncio.to_thread(lambda: kept_runs.start_session(kept_runs.blank_scenario("classroom")))
        for _session in range(SESSIONS)
    ]
    heard: list[str] = []
    clients = [SessionClient(lambda text: heard.append(json.loads(text)["t"])) for _session in begun]
    hosts = [
        live_hosts.registry().join(session.public_id, client)
        for session, client in zip(begun, clients, strict=True)
    ]
    for host, client in zip(hosts, clients, strict=True):
        host.request(client, protocol.PageHello(None, None))
    await _until(lambda: heard.count("snapshot") == SESSIONS)
    transactions = mock.Mock(wraps=database_record.append)
    writes, usual = 0, WorkerEnd.flush

    def flush(end: WorkerEnd) -> None:
        nonlocal writes
        writes += bool(end._held)  # noqa: SLF001 - it has no other name for what it writes
        usual(end)

    publish = {"do": "publish", "count": 5, "size_bytes": 6000}
    with (
        mock.patch.object(database_record, "append", transactions),
        mock.patch.object(WorkerEnd, "flush", flush),
    ):
        for host, client in zip(hosts, clients, strict=True):
            host.request(client, protocol.CommandMessage(1, publish))
        await _until(lambda: heard.count("accepted") == SESSIONS)
        of_commands = transactions.call_count, writes
        writes = 0
        for host in hosts:
            host.say(protocol.ControlRun(False))
        for _turn in range(3):
            await asyncio.sleep(0)
        of_freeze = writes
    await live_hosts.end()
    return {
        "transactions_of_twenty_commands": of_commands[0],
        "writes_to_the_worker_for_twenty_commands": of_commands[1],
        "writes_to_the_worker_for_a_freeze_of_twenty": of_freeze,
    }


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - what it waits for announces nothing
            await asyncio.sleep(0.01)
