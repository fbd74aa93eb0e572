"""The builder: a teacher makes an exercise of each kind by clicks, hands them out, and a student's work is graded.

Only a browser: an exercise is made by pointing at lanes that were drawn; two people at once over real sockets.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from playground.exercises import catalog
from playground.exercises.kinds import solution_of
from tests.browser import sessions
from tests.browser.conftest import OpenPage

LONG_MS = 120_000


def point(page: Page, lane: str, row: int = 0, value: str = "", text: str = "") -> None:
    """Point at a lane; in that row of conditions change the value, or write what the option says."""
    page.locator(f"[data-scene] [data-point='{lane}']").click()
    expect(page.locator(".is-pointed")).to_have_count(1)
    if value:
        page.fill(f"[name=value-{row}]", value)
    if text:
        page.fill(f"[name=text-{row}]", text)


def a_choice(page: Page) -> None:
    """One is true, two are not."""
    point(page, "delta", 1, text="some go to delta")
    point(page, "q1", 2, "5", "five stay in q1")
    point(page, "delta", 3, "30", "all go to delta")


def several(page: Page) -> None:
    """Two are true, one is not."""
    point(page, "delta", 1, text="some go to delta")
    point(page, "q1", 2, text="none stay in q1")
    point(page, "q2", 3, "7", "seven stay in q2")


def a_number(page: Page) -> None:
    """Ask how many are in delta."""
    point(page, "delta")
    expect(page.locator("[name=observable-1]")).to_have_value("delta")


def a_match(page: Page) -> None:
    """Ask where two messages are."""
    for row in ("1", "2"):
        page.select_option(f"[name=observable-{row}]", "place")
        page.fill(f"[name=message-{row}]", row)


def an_order(page: Page) -> None:
    """Two events of the run, and one that never happens."""
    for name, words in (("Published", "they arrive"), ("AlphasPushed", "contents leave RAM")):
        page.locator(f"[name=event-{name}]").check()
        page.fill(f"[name=words-{name}]", words)
    page.fill("#never-1", "the node stops")


def a_goal(page: Page) -> None:
    """Something must come to delta."""
    point(page, "delta", 1, "1", "at least one is in delta")
    page.select_option("[name=op-1]", ">=")


def a_stretch(page: Page) -> None:
    """Say what the step is."""
    page.fill("[name=step-1]", "Thirty messages come.")


KINDS: dict[str, Callable[[Page], None]] = {
    "choice": a_choice,
    "several": several,
    "number": a_number,
    "match": a_match,
    "order": an_order,
    "reach": a_goal,
    "broker": a_stretch,
}


def publish(page: Page) -> None:
    """Publish thirty messages, and wait until some are in delta."""
    page.locator("#controls input[name=count]").fill("30")
    page.locator("[data-publish-label]").click()
    in_delta = page.locator("#twin").get_by_role("list", name=re.compile("^delta, [1-9]"))
    expect(in_delta).to_be_attached(timeout=LONG_MS)


def make(page: Page, address: str, kind: str) -> str:
    """Make an exercise of a kind from a session; return its name."""
    page.goto(f"{address}?kind={kind}")
    page.fill("#title", f"Mine: {kind}")
    page.fill("#task", "Thirty messages come.")
    page.fill("#explain", "The memory is small.")
    KINDS[kind](page)
    page.get_by_role("button", name="Keep the exercise").click()
    page.wait_for_url("**/learn/made/made-*/", wait_until="commit", timeout=LONG_MS)
    return page.url.rstrip("/").rsplit("/", 1)[1]


def send(page: Page, path: str, *fields: tuple[str, str]) -> None:
    """Send a form as the page does."""
    token = next(each["value"] for each in page.context.cookies() if each["name"] == "csrftoken")
    answer = page.context.request.post(
        path,
        data=urlencode([*fields, ("csrfmiddlewaretoken", token)]),
        headers={"content-type": "application/x-www-form-urlencoded", "referer": page.url},
    )
    assert answer.ok, answer.text()


def answers(kind: str, right: Any) -> Sequence[Sequence[tuple[str, str]]]:
    """Return the forms that give the right answer, one after the other."""
    if kind == "broker":
        return [[(f"place-{seq}", place) for seq, place in step.items()] for step in right]
    if kind == "match":
        return [[(f"match-{item}", answer) for item, answer in right.items()]]
    if kind == "order":
        return [[(f"position-{item}", str(at)) for at, item in enumerate(right, 1)]]
    return [[("answer", str(each)) for each in (right if isinstance(right, list) else [right])]]


def test_an_exercise_of_each_kind_is_made_handed_out_and_graded(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    teacher, student = open_page(), open_page()
    for page in (teacher, student):
        page.set_default_timeout(LONG_MS)
    teacher.goto("/class/sign-up")
    teacher.fill("#id_username", "frau-bauer")
    teacher.fill("#id_password1", "correct horse battery")
    teacher.fill("#id_password2", "correct horse battery")
    teacher.get_by_role("button", name="Make the account").click()
    teacher.wait_for_url("**/class/", timeout=LONG_MS)
    sessions.begin(teacher)
    publish(teacher)
    ask = teacher.get_by_role("link", name="Ask here")
    desktop = teacher.viewport_size
    assert desktop
    teacher.set_viewport_size({"width": 360, "height": 740})
    assert ask.evaluate("(each) => each.scrollWidth <= each.clientWidth"), "its words are inside on a phone"
    assert teacher.evaluate("document.documentElement.scrollWidth") <= 360
    teacher.set_viewport_size(desktop)
    ask.click()
    teacher.wait_for_url("**/learn/made/from/**", timeout=LONG_MS)
    builder = teacher.url
    teacher.select_option("#kind", "reach")
    teacher.get_by_role("button", name="Take these").click()
    teacher.wait_for_url("**kind=reach&**", timeout=LONG_MS)
    assert_accessible(teacher)
    made = {kind: make(teacher, builder, kind) for kind in KINDS}

    teacher.goto("/class/")
    teacher.fill("#class-name", "Builders")
    teacher.locator("input[name=unit][value=waterline]").uncheck()
    teacher.locator("summary", has_text="Single exercises").click()
    for slug in made.values():
        teacher.locator(f"input[name=unit][value={slug}]").check()
    teacher.get_by_role("button", name="Make the class").click()
    code = teacher.locator(".join-code").inner_text()

    student.goto(f"/class/join/{code}/")
    student.fill("#nickname", "owl")
    student.locator("form[action$='/join/'] button").click()
    expect(student.locator(".unit li")).to_have_count(len(made), timeout=LONG_MS)
    for kind, slug in made.items():
        if kind != "reach":
            file = teacher.context.request.get(f"/learn/made/{slug}/exercise.json").json()
            send(student, f"/learn/made/{slug}/begin")
            for form in answers(kind, solution_of(catalog.read(file["exercise"]))):
                send(student, f"/learn/made/{slug}/answer", *form)
    student.goto(f"/learn/made/{made['reach']}/")
    student.locator(".begin .btn.primary").click()
    expect(student.locator("[data-link][data-state=live]")).to_be_attached(timeout=LONG_MS)
    publish(student)
    student.get_by_role("button", name="Check", exact=True).click()
    expect(student.locator(".verdict.is-right")).to_be_visible(timeout=LONG_MS)

    expect(teacher.locator("[data-grid] .cell.is-first")).to_have_count(len(made), timeout=LONG_MS)
    table = teacher.context.request.get(f"{teacher.url}table.csv").text().lstrip("\ufeff")
    assert {row["exercise"]: row["right_first_time"] for row in csv.DictReader(table.splitlines())} == (
        dict.fromkeys(made.values(), "yes")
    )
