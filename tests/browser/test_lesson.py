"""A whole lesson: a teacher and three students in browsers of their own, on desktop and phone, in two languages."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from playground.exercises import catalog
from playground.exercises.kinds import solution_of
from tests.browser.conftest import DESKTOP, PHONE, OpenPage

WAIT_MS = 20_000


def begin(page: Page, slug: str) -> None:
    """Open an exercise and begin it."""
    page.goto(f"/learn/{catalog.exercise(slug).unit}/{slug}/")
    page.locator(".begin .btn.primary").click()
    expect(page.locator("#task")).to_be_visible()
    expect(page.locator("[data-link][data-state=live]")).to_be_attached(timeout=WAIT_MS)


def test_a_prediction_is_locked_and_the_run_goes_on(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page()
    begin(page, "read-back")
    expect(page.locator("#controls")).to_be_hidden()
    page.locator("#task .help").first.wait_for()
    page.get_by_role("button", name=re.compile("Hint")).click()
    expect(page.locator(".hints-given li")).to_have_count(1)
    page.fill("#answer", "8")
    page.get_by_role("button", name=re.compile("Lock my prediction")).click()
    expect(page.locator(".verdict")).to_contain_text("A whole segment has eight entries")
    expect(page.locator("[data-clock]")).to_have_text("00:03.300", timeout=WAIT_MS)
    assert_accessible(page)
    page.get_by_role("button", name="Again, with other numbers").click()
    expect(page.locator("#answer")).to_be_visible()
    begins = re.search(r"delta (\d+)–", page.locator(".task-text").inner_text())
    page.fill("#answer", str(16 - int(begins[1])))  # a segment ends at 15
    page.keyboard.press("Enter")
    expect(page.locator(".verdict.is-right")).to_be_visible()
    page.get_by_role("link", name="Next exercise").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Be the broker: drain the queue")


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_broker_by_keyboard_alone(
    open_page: OpenPage, viewport: dict[str, int], assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page(viewport=viewport)
    begin(page, "first-paging")
    solution = solution_of(catalog.exercise("first-paging"))
    before = dict.fromkeys("012345", "q4")
    for number, placement in enumerate(solution, 1):
        board = page.locator(".board")
        for seq, place in placement.items():
            if before.get(seq) == place:
                continue
            board.locator(f"[data-chip='{seq}']").focus()
            page.keyboard.press("Space")
            board.locator(".board-moves button", has_text=re.compile(f"^{place}$")).focus()
            page.keyboard.press("Enter")
            expect(board.locator(f"[data-chip='{seq}']")).to_be_focused()
            expect(page.locator("[data-board-live]")).to_contain_text(place)
        before = placement
        if number == 1:
            assert_accessible(page)
        page.get_by_role("button", name="Check this step").click()
        if number < len(solution):
            expect(page.locator(".verdict.is-step")).to_contain_text(f"Step {number} is right")
    expect(page.locator(".verdict.is-right")).to_be_visible()


def test_lines_are_put_in_order_by_buttons_and_by_dragging(open_page: OpenPage) -> None:
    page = open_page()
    begin(page, "confirm-path")
    words = catalog.exercise("confirm-path").en.words
    solution = solution_of(catalog.exercise("confirm-path"))
    first, *others = solution
    for name in others:
        page.get_by_role("button", name=f"Add: {words[name]}").click()
    page.get_by_role("button", name=f"Add: {words[first]}").click()
    page.locator(f"[data-line={first}]").drag_to(page.locator(f"[data-line={others[0]}]"))
    expect(page.locator("ol.sortable li").first).to_contain_text(words[first])
    page.get_by_role("button", name="Check the order").click()
    expect(page.locator(".verdict.is-right")).to_be_visible()


def test_a_state_is_reached_in_the_live_session(open_page: OpenPage) -> None:
    page = open_page()
    begin(page, "reach-delta")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator(".verdict.is-wrong")).to_contain_text("Fewer than 2 are in delta")
    expect(page.locator("[data-link][data-state=live]")).to_be_attached(timeout=WAIT_MS)
    page.locator("#controls input[name=count]").fill("30")
    page.locator("[data-publish-label]").click()
    in_delta = page.locator("#twin").get_by_role("list", name=re.compile("^delta, [1-9]"))
    expect(in_delta).to_be_attached(timeout=WAIT_MS)
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator(".verdict.is-right")).to_be_visible(timeout=WAIT_MS)


CLIPPED = """() => [...document.querySelectorAll("#controls :is(input:not([type=range]), button, select)")]
  .filter((each) => each.offsetParent && each.scrollWidth > each.clientWidth + 1)
  .map((each) => `${each.name || each.textContent.trim()}: ${each.scrollWidth} in ${each.clientWidth}`)"""


@pytest.mark.parametrize("locale", ["en", "zh-CN", "zh-TW"])
@pytest.mark.parametrize("width", [1000, 1280, 1440])
def test_no_control_of_a_reach_exercise_is_cut_off(open_page: OpenPage, locale: str, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 800}, locale=locale)
    begin(page, "lose-persistent")
    for name in ("rate", "consumer_rate", "count", "hand_count"):
        page.locator(f"#controls input[name={name}]").fill("1000")
    assert page.evaluate(CLIPPED) == []


def sign_up(page: Page, name: str) -> str:
    """Make an account and a class; return the join code."""
    page.goto("/class/sign-up")
    page.fill("#id_username", name)
    page.fill("#id_password1", "correct horse battery")
    page.fill("#id_password2", "correct horse battery")
    page.get_by_role("button", name="Make the account").click()
    page.fill("#class-name", "Brokers")
    page.get_by_role("button", name="Make the class").click()
    return page.locator(".join-code").inner_text()


def test_a_whole_lesson(open_page: OpenPage, assert_accessible: Callable[[Page], None]) -> None:
    teacher = open_page()
    code = sign_up(teacher, "frau-lehrer")
    students = [
        open_page(),
        open_page(viewport=PHONE, locale="zh-CN"),
        open_page(viewport=PHONE, locale="zh-TW", color_scheme="dark"),
    ]
    for student, name in zip(students, ("owl", "小明", "小華"), strict=True):
        student.goto(f"/class/join/{code}/")
        student.fill("#nickname", name)
        student.locator("form[action$='/join/'] button").click()
        student.wait_for_url("**/class/me/")
    expect(teacher.locator("[data-online]")).to_have_text("3", timeout=WAIT_MS)
    expect(students[1].locator("h1")).to_have_text("Brokers")
    assert_accessible(students[1])

    # everybody works; the grid follows
    for student, answer in zip(students, ("q1", "q4", "q1"), strict=True):
        begin(student, "first-in")
        student.check(f"#task input[value={answer}]")
        student.locator("#task .answer .btn.primary").click()
        expect(student.locator(".verdict")).to_be_visible()
    expect(teacher.locator("[data-grid] .cell.is-first")).to_have_count(1, timeout=WAIT_MS)
    expect(teacher.locator("[data-hardest-question]")).to_have_text("In which sub-queue will they stand?")
    expect(teacher.locator("[data-done]")).to_have_text("6 %")
    teacher.get_by_role("button", name="owl").click()
    expect(teacher.locator("[data-who-watch]")).to_be_visible()
    assert_accessible(teacher)

    # freeze, release
    teacher.get_by_role("button", name="Freeze").click()
    for student in students:
        expect(student.locator("[data-class-veil]")).to_be_visible(timeout=WAIT_MS)
    students[0].keyboard.press("Escape")
    expect(students[0].locator("[data-class-veil]")).to_be_visible()
    teacher.get_by_role("button", name="Release").click()
    for student in students:
        expect(student.locator("[data-class-veil]")).to_be_hidden(timeout=WAIT_MS)

    # vote, discuss, vote again
    teacher.get_by_text("Vote", exact=True).click()
    teacher.select_option("#vote-exercise", "tail-or-head")
    teacher.get_by_role("button", name="Open the first round").click()
    for student, answer in zip(students, ("oldest", "oldest", "newest"), strict=True):
        student.wait_for_url("**/class/me/vote/", timeout=WAIT_MS)
        student.check(f"input[value={answer}]")
        student.locator(".answer .btn.primary").click()
        expect(student.locator(".said")).to_be_visible()
    expect(teacher.locator("[data-votes]")).to_have_text("3 / 3", timeout=WAIT_MS)
    assert_accessible(teacher)
    teacher.get_by_role("button", name="Discuss and vote again").click()
    expect(students[0].locator(".said")).to_contain_text("Talk with your neighbour", timeout=WAIT_MS)
    expect(students[1].locator(".said")).to_contain_text("与邻座讨论", timeout=WAIT_MS)
    teacher.get_by_role("button", name="Open the second round").click()
    for student in students:
        student.locator("input[value=newest]").check(timeout=WAIT_MS)
        student.locator(".answer .btn.primary").click()
        expect(student.locator(".said[role=status]")).to_be_visible()  # "Your vote is in."
    teacher.get_by_role("button", name="Reveal now").click()
    expect(students[0].locator(".results .is-right")).to_contain_text("the 4 newest: 6 to 9", timeout=WAIT_MS)
    assert_accessible(students[0])
    teacher.get_by_role("button", name="End the vote").click()

    # push a state to all
    teacher.get_by_text("Push a state").click()
    teacher.fill("#push-link", "first-burst")
    with students[2].expect_navigation(url=re.compile(r"/s/[2-9a-z]+/"), timeout=WAIT_MS):
        teacher.get_by_role("button", name="Open it for everyone").click()
    for student in students[:2]:
        student.wait_for_url(re.compile(r"/s/[2-9a-z]+/"), timeout=WAIT_MS)
        expect(student.locator("[data-link][data-state=live]")).to_be_attached(timeout=WAIT_MS)

    # a student comes back elsewhere, and then deletes everything
    students[0].goto("/class/me/")
    personal = students[0].locator(".code").inner_text()
    elsewhere = open_page()
    elsewhere.goto("/class/join/")
    elsewhere.fill("#personal", personal)
    elsewhere.locator("form[action$='/back'] button").click()
    expect(elsewhere.locator(".learn-lead")).to_contain_text("owl")
    elsewhere.get_by_role("link", name="Delete me and all my work").click()
    elsewhere.get_by_role("button", name="Yes, delete").click()
    expect(teacher.locator("[data-students]")).to_have_text("2", timeout=WAIT_MS)
