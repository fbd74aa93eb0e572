"""A teacher's class and its students, as the tests of this folder need them."""

from __future__ import annotations

from typing import Any

from django.test import Client

from playground.classroom import selectors
from playground.classroom.models import Classroom
from playground.exercises import catalog

PASSWORD = "correct horse battery"


def join(classroom: Classroom, nickname: str) -> Client:
    client = Client()
    assert client.post("/class/join/", {"code": classroom.join_code, "nickname": nickname}).status_code == 302
    return client


def address(classroom: Classroom, action: str = "") -> str:
    return f"/class/{classroom.public_id}/{action}"


def answer(client: Client, slug: str, value: str) -> None:
    base = f"/learn/{catalog.exercise(slug).unit}/{slug}/"
    client.post(base + "begin")
    client.post(base + "answer", {"answer": value})


def cells(classroom: Classroom) -> dict[str, dict[str, Any]]:
    """Return the grid as the teacher sees it, by nickname."""
    return {row["name"]: row["cells"] for row in selectors.for_teacher(classroom, {})["students"]}
