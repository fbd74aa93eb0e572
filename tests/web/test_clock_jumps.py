"""A machine's clock is set forward or back by an hour: runs do not notice, and nobody is shut out for longer."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

import pytest
from django.test import Client

from playground.limits import rate_limits
from playground.lti.models import LogIn
from playground.models import Session
from playground.records import kept_runs
from tests.conftest import ROOT
from tests.web.lti_platform import CUSTOM, Platform
from tests.web.test_lti import begin, connected, launch

HOUR = timedelta(hours=1)
Jump = Callable[[timedelta], None]

WALL_CLOCKS = ("time.time", "time.time_ns", "timezone.now", "datetime.now", "datetime.utcnow")
RUNS = (
    "playground/hosting",
    "playground/sessions/live_hosts.py",
    "playground/sessions/past_runs.py",
    "playground/sessions/session_sockets.py",
    "playground/records/database_record.py",
)


@pytest.fixture
def jump(monkeypatch: pytest.MonkeyPatch) -> Jump:
    """Set every clock of this process that shows the time of day."""
    real_s = time.time
    ahead = timedelta()

    class Jumped(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Any:
            return datetime.now(tz) + ahead

    def set_by(difference: timedelta) -> None:
        nonlocal ahead
        ahead += difference

    monkeypatch.setattr("time.time", lambda: real_s() + ahead.total_seconds())
    monkeypatch.setattr("django.utils.timezone.now", lambda: datetime.now(UTC) + ahead)
    monkeypatch.setattr("jwt.api_jwt.datetime", Jumped)
    return set_by


@pytest.fixture
def platform(monkeypatch: pytest.MonkeyPatch) -> Iterator[Platform]:
    rate_limits.forget()
    yield from connected(Platform(), monkeypatch)
    rate_limits.forget()


def names_of(path: Any) -> set[str]:
    """Return the dotted names that a file uses."""
    return {
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }


def test_runs_and_sockets_know_no_time_of_day() -> None:
    """Pace, waits, limits and notes follow a clock that nobody can set."""
    found = {}
    for each in RUNS:
        place = ROOT / each
        for path in [place] if place.is_file() else place.rglob("*.py"):
            found[str(path.relative_to(ROOT))] = names_of(path) & set(WALL_CLOCKS)
    assert len(found) > 20
    assert {name: used for name, used in found.items() if used} == {}


@pytest.mark.django_db
@pytest.mark.parametrize("difference", [HOUR, -HOUR])
def test_whoever_began_a_session_owns_it_afterwards(
    client: Client, jump: Jump, difference: timedelta
) -> None:
    client.post("/s/new", {"profile": "classroom"})
    [session] = Session.objects.all()
    jump(difference)
    assert kept_runs.delete_sessions_unseen_for(1) == 0
    assert client.get(f"/s/{session.public_id}/").status_code == 200
    assert kept_runs.owns(client.session, session.public_id)
    client.post("/s/new", {"profile": "classroom"})
    assert Session.objects.count() == 2


@pytest.mark.django_db
@pytest.mark.parametrize("difference", [HOUR, -HOUR])
def test_a_launch_that_a_jump_met_is_let_in_once_or_begun_again(
    client: Client, platform: Platform, jump: Jump, difference: timedelta
) -> None:
    asked = begin(client, platform)
    jump(difference)
    token = platform.signed(asked["nonce"], **{CUSTOM: {"waterline": "first-in"}})
    form = {"id_token": token, "state": asked["state"]}
    met = client.post("/lti/launch", form).status_code
    assert met == (403 if difference > timedelta() else 302), "an hour is what a log-in lasts"
    assert client.post("/lti/launch", form).status_code == 403
    assert launch(client, platform).status_code == 302
    assert LogIn.objects.filter(at__gt=datetime.now(UTC) + difference).count() == 0


@pytest.mark.django_db
@pytest.mark.parametrize("difference", [HOUR, -HOUR])
def test_a_launch_is_refused_only_while_the_clock_is_wrong(
    client: Client, platform: Platform, jump: Jump, difference: timedelta
) -> None:
    def launched() -> int:
        asked = begin(client, platform)
        jump(-difference)  # the platform's clock goes right
        token = platform.signed(asked["nonce"], **{CUSTOM: {"waterline": "first-in"}})
        jump(difference)
        return int(client.post("/lti/launch", {"id_token": token, "state": asked["state"]}).status_code)

    jump(difference)
    assert launched() == 403
    jump(-difference)
    assert launch(client, platform).status_code == 302


@pytest.mark.django_db
@pytest.mark.parametrize("difference", [HOUR, -HOUR])
def test_a_student_who_was_let_in_stays(
    client: Client, platform: Platform, jump: Jump, difference: timedelta
) -> None:
    assert launch(client, platform).status_code == 302
    jump(difference)
    page = client.get("/learn/waterline/first-in/")
    assert page.status_code == 200
    begun = client.post("/learn/waterline/first-in/begin")
    assert begun.status_code in {200, 302}
