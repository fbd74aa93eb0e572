"""A whole lesson: a teacher, her projector, and students: one is Chinese, one on a phone, one without a pointer.

Only a browser: six pages at once over real sockets, two languages, keys alone, and what covers what on a phone.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, OpenPage
from tests.browser.waits import WAIT_MS, until
from tools.live_server import LiveServer

LESSON_MS = 120_000
"""Six live pages open in this lesson: on a slow machine they take their time."""
NOTEBOOK = {"width": 1024, "height": 640}
TEACHER_S_PHONE = {"width": 360, "height": 740}
FOCUSED = "each => each === document.activeElement"


@pytest.fixture(autouse=True)
def _patient() -> Iterator[None]:
    expect.set_options(timeout=LESSON_MS)
    yield
    expect.set_options(timeout=WAIT_MS)


@dataclass
class Cast:
    """Who takes part, each in a browser of their own; the projector shows a page of the teacher's."""

    code: str
    teacher: Page
    projector: Page
    keys: Page
    chinese: Page
    phone: Page

    @property
    def students(self) -> list[Page]:
        """Return all three."""
        return [self.keys, self.chinese, self.phone]


def test_a_whole_lesson(
    open_page: OpenPage, server: LiveServer, assert_accessible: Callable[[Page], None]
) -> None:
    def open_one(**options: object) -> Page:
        page = open_page(**options)
        page.context.set_default_timeout(LESSON_MS)
        return page

    cast = who_comes(open_one)
    class_page = cast.teacher.url
    all_join(cast)
    exercises_are_handed_out(cast)
    all_buttons_are_on_her_phone(cast.teacher)
    everybody_works(cast)
    one_needs_help(cast, server)
    assert_accessible(cast.teacher)
    all_look_up(cast)
    first_round(cast)
    assert_accessible(cast.projector)
    second_round(cast)
    assert_accessible(cast.keys)
    cast.teacher.get_by_role("button", name="End the vote").click()
    expect(cast.teacher.locator("#vote-exercise")).to_be_attached()
    a_test_is_written_with_keys(cast)
    a_state_is_pushed(cast)
    the_lesson_ends(cast)
    one_deletes_everything(cast.keys, open_one())
    cast.teacher.goto(class_page)
    expect(cast.teacher.locator("[data-students]")).to_have_text("2")
    the_class_is_deleted(cast)


def who_comes(open_page: OpenPage) -> Cast:
    """Let a teacher sign up, make a class, and put its page for the wall on the projector."""
    still = {"reduced_motion": "reduce"}  # what is not painted costs no time
    teacher = open_page(**still)
    teacher.goto("/class/sign-up")
    teacher.fill("#id_username", "frau-lehrer")
    teacher.fill("#id_password1", "correct horse battery")
    teacher.fill("#id_password2", "correct horse battery")
    teacher.get_by_role("button", name="Make the account").click()
    teacher.fill("#class-name", "Brokers")
    teacher.get_by_role("button", name="Make the class").click()
    code = teacher.locator(".join-code").inner_text()
    with teacher.expect_popup() as opened:
        teacher.get_by_role("link", name="Projector view").click()
    projector = opened.value
    projector.emulate_media(reduced_motion="reduce")
    expect(projector.locator(".join-code")).to_have_text(code)
    small = {"viewport": NOTEBOOK, **still}
    keys, chinese = open_page(**small), open_page(**small, locale="zh-CN")
    phone = open_page(viewport=PHONE, locale="zh-TW", color_scheme="dark", has_touch=True, **still)
    return Cast(code, teacher, projector, keys, chinese, phone)


def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until an element has the focus, as somebody does who has no pointer."""
    target.wait_for()
    for _press in range(150):
        if target.evaluate(FOCUSED):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not come to {target}")


def choose_by_keys(page: Page, value: str) -> None:
    """Choose an option with Tab, Space and the arrows, and send it with Enter."""
    options = page.locator(".answer input[type=radio]")
    wanted = page.locator(f".answer input[value='{value}']")
    expect(wanted).to_be_attached()
    chosen = page.locator(".answer input:checked")
    tab_to(page, chosen if chosen.count() else options.first)
    page.keyboard.press("Space")
    for _press in range(options.count()):
        if not wanted.is_checked():
            page.keyboard.press("ArrowDown")
    expect(wanted).to_be_checked()
    tab_to(page, page.locator(".answer .btn.primary"))
    page.keyboard.press("Enter")


def choose(page: Page, value: str) -> None:
    """Choose an option with the pointer, and send it."""
    page.locator(f".answer input[value='{value}']").check()
    page.locator(".answer .btn.primary").click()


def all_join(cast: Cast) -> None:
    """Let everybody in by the code: typed with keys, or as the QR code has it."""
    keys = cast.keys
    keys.goto("/class/join/")
    tab_to(keys, keys.locator("#join-code"))
    keys.keyboard.type(cast.code)
    tab_to(keys, keys.locator("#nickname"))
    keys.keyboard.press("Control+A")
    keys.keyboard.type("owl")
    keys.keyboard.press("Enter")
    for student, name in ((cast.chinese, "小明"), (cast.phone, "小華")):
        student.goto(f"/class/join/{cast.code}/")
        student.fill("#nickname", name)
        student.locator("form[action$='/join/'] button").click()
    for student in cast.students:
        student.wait_for_url("**/class/me/")
    for page in (cast.teacher, cast.projector):
        expect(page.locator("[data-online]")).to_have_text("3")
    expect(cast.chinese.locator("h1")).to_have_text("Brokers")


def exercises_are_handed_out(cast: Cast) -> None:
    """Hand out two single exercises instead of the unit: the students' pages show them at once."""
    teacher = cast.teacher
    teacher.get_by_text("Settings of the class").click()
    teacher.locator("input[name=unit][value=waterline]").uncheck()
    teacher.locator("summary", has_text="Single exercises").click()
    for slug in ("first-in", "tail-or-head"):
        teacher.locator(f"input[name=unit][value={slug}]").check()
    teacher.get_by_role("button", name="Save").click()
    for student in cast.students:
        expect(student.locator(".unit li")).to_have_count(2)


OUT_OF_REACH = """() => {
  const missed = [];
  const check = (elements) => {
    for (const each of elements.filter((one) => one.checkVisibility())) {
      each.scrollIntoView({ block: "center" });
      const box = each.getBoundingClientRect();
      const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      const inside = box.width > 0 && box.x >= 0 && box.right <= innerWidth;
      if (!inside || !each.contains(top)) missed.push(each.textContent.trim() || each.name);
    }
  };
  const pops = [...document.querySelectorAll("main .pop")];
  for (const each of document.querySelectorAll("main details")) each.open = !each.matches(".pop");
  check([...document.querySelectorAll("main :is(button, a.btn, summary)")]);
  for (const pop of pops) {
    pop.open = true;
    check([...pop.querySelectorAll(":is(button, input:not([type=hidden]), select)")]);
    pop.open = false;
  }
  return missed;
}"""


def all_buttons_are_on_her_phone(teacher: Page) -> None:
    """Hold the class on a phone: each button is there, inside the screen, and nothing lies over it."""
    usual = teacher.viewport_size
    assert usual is not None
    teacher.wait_for_load_state()
    teacher.set_viewport_size(TEACHER_S_PHONE)
    assert teacher.locator("main .head-acts :is(button, a.btn, summary)").count() > 6
    assert teacher.evaluate(OUT_OF_REACH) == []
    teacher.set_viewport_size(usual)
    teacher.reload()


def everybody_works(cast: Cast) -> None:
    """Answer the first exercise: one is right. The grid follows."""
    for student in cast.students:
        link = student.locator("a[href$='/first-in/']")
        begin = student.locator(".begin .btn.primary")
        for control in (link, begin):
            if student is cast.keys:
                tab_to(student, control)
                student.keyboard.press("Enter")
            else:
                control.click()
    choose_by_keys(cast.keys, "q1")
    choose(cast.chinese, "q4")
    choose(cast.phone, "q1")
    for student in cast.students:
        expect(student.locator(".verdict")).to_be_visible()
    teacher = cast.teacher
    expect(teacher.locator("[data-grid] .cell.is-first")).to_have_count(1)
    expect(teacher.locator("[data-grid] .cell.is-wrong")).to_have_count(2)
    expect(teacher.locator("[data-hardest-question]")).to_have_text("Which sub-queue will they be in?")
    expect(teacher.locator("[data-done]")).to_have_text("17 %")


def one_needs_help(cast: Cast, server: LiveServer) -> None:
    """Let the phone's work have begun an hour earlier than it did: the grid says so, and that student comes first."""
    begun = "UPDATE exercises_work SET begun = datetime(begun, '-1 hour') WHERE learner_id IN"
    of = "(SELECT learner_id FROM classroom_student WHERE nickname = ?)"
    with closing(sqlite3.connect(server.var_dir / "waterline.sqlite3", timeout=60)) as database, database:
        assert database.execute(f"{begun} {of}", ["小華"]).rowcount == 1
    teacher = cast.teacher
    expect(teacher.locator("[data-help]")).to_have_text("1")
    expect(teacher.locator("[data-grid] tr").first).to_contain_text("小華")
    teacher.get_by_role("button", name="小華").click()
    expect(teacher.locator("[data-who-help]")).to_contain_text("min")
    expect(teacher.locator("[data-who-watch]")).to_be_visible()


def all_look_up(cast: Cast) -> None:
    """Freeze and release; Escape does not help."""
    cast.teacher.get_by_role("button", name="Freeze").click()
    for student in cast.students:
        expect(student.locator("[data-class-veil]")).to_be_visible()
    cast.keys.keyboard.press("Escape")
    expect(cast.keys.locator("[data-class-veil]")).to_be_visible()
    cast.teacher.get_by_role("button", name="Release").click()
    for student in cast.students:
        expect(student.locator("[data-class-veil]")).to_be_hidden()
    expect(cast.teacher.get_by_role("button", name="Freeze")).to_be_visible()


def first_round(cast: Cast) -> None:
    """Vote: the wall has the letters and the code; the teacher alone sees the bars, and what to do about them."""
    teacher, projector = cast.teacher, cast.projector
    teacher.get_by_text("Vote", exact=True).click()
    teacher.select_option("#vote-exercise", "tail-or-head")
    teacher.get_by_role("button", name="Open the first round").click()
    for student in cast.students:
        student.wait_for_url("**/class/me/vote/")
    expect(projector.locator(".lettered li")).to_have_count(4)
    choose_by_keys(cast.keys, "oldest")
    choose(cast.chinese, "newest")
    expect(teacher.locator("[data-missing-names]")).to_have_text("小華")
    choose(cast.phone, "oldest")
    for page in (teacher, projector):
        expect(page.locator("[data-votes]")).to_have_text("3 / 3")
    expect(teacher.locator("[data-advice-for=discuss]")).to_be_visible()
    expect(projector.locator(".join-code")).to_have_text(cast.code)
    expect(projector.locator("meter")).to_have_count(0)


def second_round(cast: Cast) -> None:
    """Discuss, vote again, and see the result."""
    teacher, projector = cast.teacher, cast.projector
    teacher.get_by_role("button", name="Discuss and vote again").click()
    expect(cast.keys.locator(".announcement")).to_contain_text("Talk with your neighbour")
    expect(cast.chinese.locator(".announcement")).to_contain_text("与邻座讨论")
    for student in cast.students:
        expect(student.locator("form.answer")).to_have_count(0)
    expect(projector.locator(".lettered li")).to_have_count(4)
    teacher.get_by_role("button", name="Open the second round").click()
    for student in cast.students:
        expect(student.locator("form.answer")).to_be_visible()
    choose_by_keys(cast.keys, "newest")
    for student in (cast.chinese, cast.phone):
        choose(student, "newest")
    for student in cast.students:
        expect(student.locator(".announcement[role=status]")).to_be_visible()  # "Your vote is in."
    expect(teacher.locator("[data-votes]")).to_have_text("3 / 3")
    teacher.get_by_role("button", name="Reveal now").click()
    for page in (projector, cast.keys):
        expect(page.locator(".results .is-right")).to_contain_text("the 4 newest: 6 to 9")


def focus_says(page: Page, words: str) -> None:
    """Expect the focus on a text, as a screen reader reads it when the page comes."""
    expect(page.locator(":focus")).to_contain_text(words)


def lead_test(teacher: Page, kind: str = "") -> None:
    """Open the fold of the tests where it is closed; begin one of a kind, or end the one that is on. Only keys."""
    control = teacher.locator("details", has=teacher.locator("summary", has_text=re.compile("^Test$")))
    if kind:
        tab_to(teacher, control.locator("summary"))
        teacher.keyboard.press("Enter")
        tab_to(teacher, control.locator("#paper-kind"))
        while control.locator("#paper-kind").input_value() != kind:
            teacher.keyboard.press("ArrowDown")
    tab_to(teacher, control.locator(".btn.primary"))
    teacher.keyboard.press("Enter")
    focus_says(teacher, "The test has begun" if kind else "The test has ended")


def answer_by_keys(student: Page, number: int) -> None:
    """Answer the question that is shown with Tab, Space and Enter; the focus then says that the answer is kept."""
    expect(student.locator("h1")).to_contain_text(f"{number}. ")
    tab_to(student, student.locator(".answer input:not([type=hidden])").first)
    student.keyboard.press("Space")
    tab_to(student, student.locator(".answer .btn.primary"))
    student.keyboard.press("Enter")
    focus_says(student, f"Question {number}: your answer is kept.")


def a_test_is_written_with_keys(cast: Cast) -> None:
    """An exam and a form of the inventory without a pointer: the fold of the teacher, questions, end, solutions."""
    teacher, student = cast.teacher, cast.keys
    lead_test(teacher, "exam")
    student.goto("/class/me/", wait_until="commit")  # it opens again when it hears of the test
    student.get_by_role("link", name="Go to the test").wait_for()
    tab_to(student, student.get_by_role("link", name="Go to the test"))
    student.keyboard.press("Enter")
    for number in (1, 2):
        answer_by_keys(student, number)
    expect(student.locator(".announcement")).to_contain_text("You have answered every question.")
    lead_test(teacher)
    focus_says(student, "The test has ended.")  # the page has followed
    expect(student.locator(".explain")).to_have_count(2)
    lead_test(teacher, "before")
    student.goto("/class/me/test/")
    answer_by_keys(student, 1)
    tab_to(student, student.get_by_role("button", name="I do not know"))
    student.keyboard.press("Enter")
    focus_says(student, "28 questions are left.")
    lead_test(teacher)
    focus_says(student, "The test has ended.")


COVERED = """() => {
  const bar = document.querySelector("[data-class-bar]");
  const over = bar.getBoundingClientRect();
  return [...document.querySelectorAll("button, a[href], input, select, summary")]
    .filter((each) => !bar.contains(each) && each.checkVisibility({ visibilityProperty: true }))
    .filter((each) => {
      const { left, right, top, bottom, width } = each.getBoundingClientRect();
      return width > 1 && left < over.right && right > over.left && top < over.bottom && bottom > over.top;
    })
    .map((each) => each.textContent.trim() || each.ariaLabel || each.name);
}"""
"""What the badge of a student's class lies over."""


def a_state_is_pushed(cast: Cast) -> None:
    """Open a run for everybody; it says from whom it is, and the grid who has opened it."""
    cast.teacher.get_by_text("Push a state").click()
    cast.teacher.fill("#push-link", "first-burst")
    cast.teacher.get_by_role("button", name="Open it for everyone").click()
    for student in cast.students:
        student.wait_for_url(re.compile(r"/s/[2-9a-z]+/"), wait_until="commit")
    for student in cast.students:
        expect(student.locator("[data-push-link]")).to_contain_text("frau-lehrer")
    expect(cast.keys.locator("[data-link][data-state=live]")).to_be_attached()
    expect(cast.phone.locator("[data-link][data-state=live]")).to_be_attached()
    until(cast.phone, lambda: cast.phone.evaluate(COVERED), lambda covered: covered == [])
    expect(cast.teacher.locator("[data-grid] .followed")).to_have_count(3)


def the_lesson_ends(cast: Cast) -> None:
    """End it on every screen, with a report."""
    teacher = cast.teacher
    teacher.get_by_role("button", name="End the lesson").click()
    expect(teacher.locator("h1", has_text="Report of the lesson")).to_be_visible()
    line = teacher.locator("tr", has_text="come back to it").locator("td")
    expect(line).to_have_text(["3", "1", "0", "2"])
    votes = "3 of 3 voted, 33 % of them right in the first round; 3 voted in the second, 100 % right"
    expect(teacher.locator(".log li")).to_contain_text(votes)
    expect(cast.projector.locator("[data-lesson-over]")).to_be_visible()
    expect(cast.keys.locator("[data-class-notice]")).to_have_text("The lesson is over.")
    expect(cast.chinese.locator("[data-class-notice]")).to_have_text("这节课结束了。")


def one_deletes_everything(student: Page, elsewhere: Page) -> None:
    """Come back on another device with the personal code, and go with all work."""
    student.goto("/class/me/")
    personal = student.locator(".code").inner_text()
    elsewhere.goto("/class/join/")
    elsewhere.fill("#personal", personal)
    elsewhere.locator("form[action$='/back'] button").click()
    expect(elsewhere.locator(".learn-lead")).to_contain_text("owl")
    elsewhere.get_by_role("link", name="Delete me and all my work").click()
    elsewhere.get_by_role("button", name="Yes, delete").click()
    expect(elsewhere.get_by_role("button", name="Undo")).to_be_visible()


def the_class_is_deleted(cast: Cast) -> None:
    """Delete the class: the wall says so."""
    expect(cast.projector.locator("[data-class-gone]")).to_be_hidden()
    cast.teacher.get_by_text("Settings of the class").click()
    cast.teacher.fill("#delete-name", "Brokers")
    cast.teacher.get_by_role("button", name="Delete the class").click()
    expect(cast.projector.locator("[data-class-gone]")).to_be_visible()
