"""Who asks, as limits count: addresses of IPv4, networks of IPv6, classes; and that each gate counts so."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client, RequestFactory

from playground.classroom.models import Classroom, Student
from playground.exercises import learners
from playground.exercises.models import Learner
from playground.limits import rate_limits, request_callers
from playground.limits.page_scheduler import lane_of
from playground.limits.request_callers import LastHop, RequestCaller, address_of, network

HOUSE = "2001:db8:1:2"
"""A network of 64 bits, from which anybody has 2 to the 64 addresses."""


@pytest.mark.parametrize(
    ("address", "counts_as"),
    [
        ("192.0.2.1", "192.0.2.1"),
        (f"{HOUSE}::1", f"{HOUSE}::/64"),
        (f"{HOUSE}:ffff:ffff:ffff:ffff", f"{HOUSE}::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2002:c000:201:5::1", "192.0.2.1"),
        ("", ""),
        ("a socket of Unix", "a socket of Unix"),
    ],
)
def test_an_address_is_one_address_or_one_network(address: str, counts_as: str) -> None:
    assert network(address) == counts_as


async def test_behind_a_proxy_the_forwarded_address_counts_as_its_network() -> None:
    seen: list[str] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        seen.extend([address_of(scope), lane_of({**scope, "path": "/s/1/"})])

    for last in ("1", "2"):
        headers = [(b"x-forwarded-for", f"198.51.100.9, {HOUSE}::{last}".encode())]
        await LastHop(application)({"client": ["127.0.0.1", 9], "headers": headers}, None, None)
    assert seen == [f"{HOUSE}::/64", f"{HOUSE}::/64 s"] * 2


@pytest.fixture
def standing_clock(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Callable[[int], None]:
    """Let no bucket fill up meanwhile; return what sets how many sessions one caller may begin in a minute."""
    monkeypatch.setattr(rate_limits, "time", SimpleNamespace(monotonic=lambda: 0.0))

    def bound(new_per_minute: int) -> None:
        settings.WATERLINE = {**settings.WATERLINE, "new_per_minute": new_per_minute}
        rate_limits.forget()

    return bound


def posts(client: Client, address: str) -> int:
    return client.post("/s/new", {}, REMOTE_ADDR=address).status_code


@pytest.mark.django_db
def test_thousands_of_addresses_of_a_house_and_as_many_cookies_are_one_who_asks(
    standing_clock: Callable[[int], None],
) -> None:
    standing_clock(3)
    assert [posts(Client(), f"{HOUSE}::{each}") for each in range(1, 5)] == [302, 302, 302, 429]
    assert posts(Client(), "2001:db8:1:3::1") == 302
    assert [posts(Client(), "192.0.2.1") for _each in range(4)] == [302, 302, 302, 429]
    assert posts(Client(), "192.0.2.2") == 302


@pytest.fixture
def school() -> Classroom:
    teacher = get_user_model().objects.create_user("teacher")
    return Classroom.objects.create(
        public_id="c", teacher=teacher, name="10a", join_code="j", keep_until="2099-01-01"
    )


def student_of(school: Classroom, name: str) -> Client:
    learner = Learner.objects.create(code_trace=name)
    Student.objects.create(classroom=school, learner=learner, nickname=name, folded=name)
    client = Client()
    session = client.session
    learners.be(session, learner)
    session.save()
    client.cookies["sessionid"] = session.session_key
    return client


@pytest.mark.django_db
def test_a_class_of_thirty_goes_on_while_somebody_at_its_address_uses_it_up(
    school: Classroom, standing_clock: Callable[[int], None]
) -> None:
    standing_clock(30)
    students = [student_of(school, f"s{number}") for number in range(30)]
    stranger = [posts(Client(), "192.0.2.1") for _each in range(40)]
    assert stranger.count(429) == 10
    assert [posts(each, "192.0.2.1") for each in students] == [302] * 30
    assert posts(students[0], "198.51.100.7") == 429, "a class is one caller wherever its students are"


@pytest.mark.django_db
def test_who_asks_is_a_class_a_teacher_or_an_address(school: Classroom) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR=f"{HOUSE}::5")
    request.session = student_of(school, "anna").session
    assert request_callers.of_request(request) == RequestCaller(f"class {school.pk}")
    scope = {"session": {"_auth_user_id": "7", "visitor": "v"}, "client": ("192.0.2.1", 4)}
    assert request_callers.of_scope(scope) == RequestCaller("teacher 7", "v")
    assert request_callers.of_scope({**scope, "session": {}}) == RequestCaller("192.0.2.1")
    assert request_callers.present() == request_callers.NOBODY


def test_of_an_address_only_a_number_is_kept_that_many_share() -> None:
    traces = {request_callers.trace_of(f"192.0.{number >> 8}.{number & 255}") for number in range(2000)}
    assert 1900 < len(traces) <= 2000
    assert {len(each) for each in traces} == {request_callers.TRACE_LETTERS}
    assert request_callers.trace_of("class 7") == "class 7"
    assert request_callers.trace_of("") == ""
