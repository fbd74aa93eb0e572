"""Taking the last command back, and going on from a moment in a session of one's own."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from playground.hosting import protocol
from playground.hosting.real_engine import door
from playground.models import CommandRecord, ScenarioText, Session
from playground.records import kept_runs
from playground.sessions import session_sharing
from tests.web import test_host
from tests.web.test_host import World

worlds = test_host.worlds

SCENARIO = {
    "version": 1,
    "title": "Small",
    "profile": "classroom",
    "commands": [{"at_us": 1000, "do": "publish", "count": 3, "size_bytes": 100}],
    "until_us": 1_000_000,
}


@pytest.mark.asyncio
async def test_the_last_command_is_taken_back(worlds: Any) -> None:
    world: World = worlds()
    reader = world.reader()
    await reader.until("snapshot")
    world.command(reader, 1, do="emit", count=3)
    await reader.until("accepted")
    world.command(reader, 2, do="emit", count=4)
    await reader.until("accepted", 2)
    assert len(world.books["one"].record.commands) == 2
    world.host().request(reader.client, protocol.UndoCommand(3))
    await reader.until("accepted", 3)
    assert len(world.books["one"].record.commands) == 1
    assert len(world.host().keeper.record.commands) == 1
    assert world.door.nodes[-1].log.number == 3


@pytest.mark.asyncio
async def test_nothing_to_undo_is_reported(worlds: Any) -> None:
    world: World = worlds()
    reader = world.reader()
    await reader.until("snapshot")
    world.host().request(reader.client, protocol.UndoCommand(1))
    refused = await reader.until("refused")
    assert "no command to undo" in refused["message"]


def begin(client: Client) -> Session:
    address = client.post("/s/new", {"profile": "classroom"})["Location"]
    session = Session.objects.get(public_id=address.split("/")[2])
    session.text = ScenarioText.of(kept_runs.body_of(door().check(SCENARIO)))
    session.reached_us = 1_000_000
    session.save()
    for sequence, at_us in enumerate((200_000, 600_000)):
        command = {"do": "publish", "count": 2 + sequence, "size_bytes": 100}
        CommandRecord.objects.create(session=session, sequence=sequence, at_us=at_us, command=command)
    return session


@pytest.mark.django_db
def test_a_fork_holds_what_was_done_until_the_moment(client: Client) -> None:
    session = begin(client)
    address = client.post(f"/s/{session.public_id}/fork", {"at_us": "300000"})["Location"]
    forked = Session.objects.get(public_id=address.split("/")[2])
    assert forked.public_id != session.public_id
    assert [command["at_us"] for command in forked.scenario["commands"]] == [1000, 200_000]
    assert (forked.scenario["until_us"], forked.reached_us) == (300_000, 300_000)
    assert CommandRecord.objects.filter(session=session).count() == 2


@pytest.mark.django_db
@pytest.mark.parametrize("at_us", ["", "no number", "99999999999"])
def test_without_a_moment_a_fork_is_of_now(client: Client, at_us: str) -> None:
    session = begin(client)
    address = client.post(f"/s/{session.public_id}/fork", {"at_us": at_us})["Location"]
    forked = Session.objects.get(public_id=address.split("/")[2])
    assert len(forked.scenario["commands"]) == 3
    assert forked.scenario["until_us"] == 1_000_000


@pytest.mark.django_db
def test_a_fork_is_the_visitors_own_and_needs_a_form(client: Client) -> None:
    session = begin(client)
    stranger = Client()
    address = stranger.post(f"/s/{session.public_id}/fork")["Location"]
    assert stranger.get("/play/")["Location"] == address
    assert client.get(f"/s/{session.public_id}/fork").status_code == 405


@pytest.mark.django_db
def test_a_fork_runs_as_the_session_did(client: Client) -> None:
    forked = session_sharing.fork(begin(client), 300_000)
    node = door().rehearse(forked.scenario)
    node.advance(300_000)
    held = sum(extent[1] for extent in node.snapshot()["queues"]["orders"]["lanes"]["q4"])
    assert held == 5
