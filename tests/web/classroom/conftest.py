"""A fresh start for each test, a teacher, and a class."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from playground.classroom.models import Classroom
from playground.limits import rate_limits
from tests.web.classroom.people import PASSWORD


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    rate_limits.forget()
    yield
    rate_limits.forget()


@pytest.fixture
def teacher() -> Client:
    client = Client()
    client.force_login(get_user_model().objects.create_user("frau-lehrer", password=PASSWORD))
    return client


@pytest.fixture
def classroom(teacher: Client) -> Classroom:
    form = {"name": "Brokers 1", "unit": ["waterline", "sub-queues"], "keep_days": "30"}
    assert teacher.post("/class/new", form).status_code == 302
    return Classroom.objects.get()
