"""Questions from before come back with other numbers, and progress goes along in a file and comes back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from playground.browser_app.browser_app import task_page, units_page
from playground.classroom import services
from playground.exercises import catalog, learners
from playground.exercises.kinds import solution_of
from playground.exercises.models import Attempt, Work
from playground.limits import rate_limits
from tests.web.test_exercises import address, begin

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    rate_limits.forget()
    yield
    rate_limits.forget()


def worked(slug: str, age: timedelta, **fields: Any) -> Work:
    """Return unsaved work that was touched so long ago."""
    found = Work(exercise=slug, **{"attempts": 1, "done_at": timezone.now(), **fields})
    found.touched = timezone.now() - age
    return found


def slugs(works: list[Work]) -> list[str]:
    return [each.exercise for each in catalog.due(works, timezone.now())]


def test_what_was_wrong_comes_first_and_then_what_rests_longest() -> None:
    works = [
        worked("first-in", 4 * DAY, right_first=True),
        worked("read-back", 9 * DAY, right_first=True),
        worked("where-next", 1 * DAY, wrong=True, done_at=None),
        worked("small-body", 2 * DAY),
    ]
    assert slugs(works) == ["where-next", "read-back", "first-in", "small-body"]


def test_what_is_sure_rests_longer_and_what_has_no_answer_never_comes() -> None:
    assert slugs([worked("first-in", 2 * DAY, right_first=True)]) == []
    assert slugs([worked("first-in", timedelta(hours=23))]) == []
    assert slugs([worked("first-in", timedelta(hours=7), wrong=True)]) == []
    assert slugs([worked("first-in", 9 * DAY, attempts=0, done_at=None)]) == []
    assert slugs([worked("m-no-such", 9 * DAY)]) == []


def test_each_right_review_lets_it_rest_longer_and_a_wrong_one_begins_anew() -> None:
    now = timezone.now()
    work = worked("first-in", 3 * DAY, right_first=True, right_at=now - 3 * DAY)
    rests = [catalog.rest(work)]
    for _visit in range(6):
        work.right_at = now - catalog.rest(work)
        work.reviews = catalog.reviews_after(work, wrong=False, now=now)
        rests.append(catalog.rest(work))
    assert rests == [3 * DAY, 7 * DAY, 16 * DAY, 35 * DAY, 80 * DAY, 80 * DAY, 80 * DAY]
    work.right_at = now - timedelta(minutes=5)
    assert catalog.reviews_after(work, wrong=False, now=now) == work.reviews, "the same visit is no review"
    work.reviews, work.wrong, work.failures = catalog.reviews_after(work, wrong=True, now=now), True, 1
    assert catalog.rest(work) == timedelta(hours=8)
    work.wrong = False
    assert catalog.rest(work) == DAY, "right first time, but not since"


def test_a_review_is_counted_where_an_answer_is_kept(client: Client) -> None:
    work = answered(client, "first-in", "q4", timedelta())
    assert work.reviews == 0
    Work.objects.update(right_at=timezone.now() - 4 * DAY, touched=timezone.now() - 4 * DAY)
    client.post(address("first-in", "again"))
    work.refresh_from_db()
    right = solution_of(catalog.variant("first-in", work.variant))
    client.post(address("first-in", "answer"), {"answer": right})
    work.refresh_from_db()
    assert work.reviews == 1
    assert catalog.rest(work) == 7 * DAY


def browser_work(age: timedelta, **fields: Any) -> dict[str, Any]:
    """Return work as a browser without a log-in keeps it."""
    touched = (timezone.now() - age).isoformat()
    return {"exercise": "first-in", "attempts": 1, "right_first": True, "touched": touched, **fields}


def test_the_browsers_own_record_is_asked_without_a_server() -> None:
    due = units_page({"works": {"first-in": browser_work(4 * DAY)}})["review"]
    assert "From before" in due
    assert "first-in/#again" in due
    assert "csrf" not in due
    assert units_page({"works": {"first-in": browser_work(DAY)}})["review"].strip() == ""
    before = {name: value for name, value in browser_work(DAY).items() if name != "touched"}
    assert "From before" in units_page({"works": {"first-in": before}})["review"], "kept before times were"


def test_the_browser_counts_reviews_as_the_server_does() -> None:
    long_ago = (timezone.now() - 4 * DAY).isoformat()
    kept = browser_work(4 * DAY, right_at=long_ago, done_at=long_ago)
    again = task_page({"exercise": "first-in", "work": kept, "do": "again"})["work"]
    right = solution_of(catalog.variant("first-in", again["variant"]))
    answer = {"do": "answer", "form": [["answer", right]], "exercise": "first-in", "work": again}
    found = task_page(answer)["work"]
    assert (found["reviews"], found["wrong"]) == (1, False)
    assert units_page({"works": {"first-in": found}})["review"].strip() == "", "asked a moment ago"


def test_a_visit_brings_five_at_most() -> None:
    works = [worked(slug, 9 * DAY) for slug in list(catalog.exercises())[:9]]
    assert len(slugs(works)) == catalog.QUESTIONS == 5


def answered(client: Client, slug: str, answer: str, age: timedelta) -> Work:
    """Begin an exercise and answer it, so long ago."""
    begin(client, slug)
    client.post(address(slug, "answer"), {"answer": answer})
    Work.objects.filter(exercise=slug).update(touched=timezone.now() - age)
    return Work.objects.get(exercise=slug)


def test_the_page_asks_again_with_other_numbers_and_shows_nothing_before_the_answer(client: Client) -> None:
    texts = catalog.exercise("first-in").en
    assert "From before" not in client.get("/learn/").content.decode()
    work = answered(client, "first-in", "q4", timedelta())
    assert "From before" not in client.get("/learn/").content.decode(), "nobody is asked at the same visit"
    Work.objects.update(touched=timezone.now() - 4 * DAY)
    page = client.get("/learn/").content.decode()
    assert page.index("From before") < page.index(f'action="{address("first-in", "again")}"')
    client.post(address("first-in", "again"))
    work.refresh_from_db()
    assert work.variant
    page = client.get(address("first-in")).content.decode()
    assert texts.explain not in page
    assert "From before" not in client.get("/learn/").content.decode(), "what was looked at rests"
    for _second_try in range(2):
        client.post(address("first-in", "answer"), {"answer": "q2"})
        assert "From before" not in client.get("/learn/").content.decode()
        client.post(address("first-in", "again"))
    work.refresh_from_db()
    client.post(
        address("first-in", "answer"), {"answer": solution_of(catalog.variant("first-in", work.variant))}
    )
    texts = catalog.variant("first-in", work.variant).en
    assert texts.explain in client.get(address("first-in")).content.decode()
    work.refresh_from_db()
    assert work.right_first, "a review takes nothing back"


def upload(client: Client, data: bytes) -> Any:
    return client.post("/learn/bring", {"file": SimpleUploadedFile("mine.json", data)})


def test_progress_goes_along_and_comes_back_elsewhere(client: Client) -> None:
    answered(client, "first-in", "q4", 2 * DAY)
    answered(client, "read-back", "8", DAY)
    data = client.get("/class/my-data.json").content
    other = Client()
    page = upload(other, data).content.decode()
    assert "2 exercises were imported." in page
    first, other_one = Work.objects.get(pk__in=mine(other), exercise="first-in"), "read-back"
    assert first.right_first
    assert first.done_at is not None
    brought = Work.objects.get(pk__in=mine(other), exercise=other_one)
    assert (brought.attempts, brought.wrong, brought.done_at) == (1, True, None)
    assert Attempt.objects.filter(work=brought).get().tally == "8"
    assert other.get(address("first-in")).status_code == 200
    assert "0 exercises were imported." in upload(other, data).content.decode(), "nothing is taken in twice"


def mine(client: Client) -> list[int]:
    number = client.session["learner_number"]
    return list(Work.objects.filter(learner_id=number).values_list("pk", flat=True))


ENTRY = {
    "exercise": "first-in",
    "begun": "2020-01-01T00:00:00+00:00",
    "done": "2999-01-01T00:00:00",
    "right_first_time": True,
    "solution_shown": False,
    "hints": 2,
    "answers": [{"number": 1, "at": "1970-01-01T00:00:00+00:00", "passed": False, "said": "q1\u0000\n"}],
}


def file_of(*entries: dict[str, Any], **changed: Any) -> bytes:
    return json.dumps({"format": "waterline-person-1", "exercises": list(entries), **changed}).encode()


def test_a_files_times_and_marks_are_held_to_what_can_be(client: Client) -> None:
    assert upload(client, file_of(ENTRY, {**ENTRY, "exercise": "made-by-me"}, ENTRY)).status_code == 200
    work = Work.objects.get()
    assert work.done_at is not None
    assert work.done_at <= timezone.now()
    assert not work.right_first, "an answer of the file is wrong"
    assert timezone.now() - work.answers.get().at < learners.OLDEST + DAY
    assert work.answers.get().tally == "q1"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b'{"format": "waterline-person-1"}',
        file_of(format="other"),
        file_of({**ENTRY, "hints": 99}),
        file_of({**ENTRY, "begun": "yesterday"}),
        file_of({**ENTRY, "exercise": "x" * 61}),
        file_of({**ENTRY, "answers": ENTRY["answers"] * 201}),
        file_of(*[ENTRY] * 501),
        b" " * (learners.MOST_BYTES + 1),
    ],
    ids=range(12),
)
def test_what_is_no_file_of_progress_is_refused_and_changes_nothing(client: Client, data: bytes) -> None:
    answer = upload(client, data)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert not Work.objects.exists()


def test_a_class_counts_no_file(client: Client, django_user_model: Any) -> None:
    teacher = django_user_model.objects.create_user("t", password="x")
    classroom = services.make_class(teacher, "Brokers", ["waterline"], 30)
    client.get("/learn/")
    browser = client.session
    services.join(browser, classroom.join_code, "owl")
    browser.save()
    client.cookies["sessionid"] = browser.session_key
    answer = upload(client, file_of(ENTRY))
    assert answer.status_code == 422
    assert "belongs to a class" in answer.content.decode()
    assert not Work.objects.exists()
