"""Writes: classes, students, nicknames, freezing, pushing, deleting; and the lesson that is ready to start from."""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from playground.callers import request_callers
from playground.classroom import limits, rooms
from playground.classroom.models import Classroom, Student
from playground.exercises import catalog, learners
from playground.exercises import services as exercises
from playground.exercises.models import Learner
from playground.exercises.schema import MADE
from playground.hosting import session_record
from playground.records import selectors as sessions
from playground.texts.page_message import RequestRefused

LEAST, MOST = 1, 24
ADJECTIVES = (
    "quiet blue odd slow paper amber tiny north salt green lost warm iron late silver brisk calm dry flat gold high "
    "ivory jade kind loud mild neat pale quick red soft tall"
).split()


ANIMALS = (
    "otter kestrel lantern comet fox reed anvil wren badger kite mitten pebble moth plum newt owl heron maple stone "
    "crab fern lynx mole ibis toad yak tern vole carp finch hare swan"
).split()


def cleaned(text: str) -> str:
    """Return a nickname as it is kept, or raise `RequestRefused`: letters, digits, spaces, - and _, up to 24."""
    if len(text) > 200:
        raise RequestRefused(_("A nickname has %(least)s to %(most)s characters."), least=LEAST, most=MOST)
    name = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip()
    if not LEAST <= len(name) <= MOST:
        raise RequestRefused(_("A nickname has %(least)s to %(most)s characters."), least=LEAST, most=MOST)
    kinds = [unicodedata.category(each) for each in name]
    if not all(
        each in " -_" or kind[0] in "LN" or kind == "Mn" for each, kind in zip(name, kinds, strict=True)
    ):
        raise RequestRefused(_("A nickname has only letters, digits, spaces, - and _."))
    if kinds[0][0] not in "LN":
        raise RequestRefused(_("A nickname begins with a letter or a digit."))
    if kinds.count("Mn") > len(name) // 2:
        raise RequestRefused(_("A nickname has only letters, digits, spaces, - and _."))
    return name


LATIN = {
    "CYRILLIC SMALL LETTER ": dict(
        zip("A IE O ER ES U HA BYELORUSSIAN-UKRAINIAN_I JE DZE SHHA".split(), "aeopcyxijsh", strict=True)
    ),
    "GREEK SMALL LETTER ": dict(
        zip("ALPHA OMICRON RHO NU IOTA KAPPA UPSILON CHI TAU".split(), "aopvikuxt", strict=True)
    ),
}
"""Letters of other scripts that look like Latin ones, by the rest of their names."""


LOOK_ALIKE = {
    ord(unicodedata.lookup(script + letter.replace("_", " "))): latin
    for script, letters in LATIN.items()
    for letter, latin in letters.items()
} | str.maketrans("01\u0131", "oli")


def folded(name: str) -> str:
    """Return what two nicknames are compared by: "Anna", "a n-n a" and one with a Cyrillic "a" are the same."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    letters = re.sub("[\u0300-\u036f]", "", plain)  # accents, not the vowel signs of other scripts
    return re.sub(r"[ _-]", "", letters).translate(LOOK_ALIKE)[:48]


def suggestion(taken: set[str]) -> str:
    """Return a nickname that nobody in the class has."""
    for _try in range(40):
        name = f"{secrets.choice(ADJECTIVES)}-{secrets.choice(ANIMALS)}"
        if folded(name) not in taken:
            return name
    return f"{secrets.choice(ADJECTIVES)}-{secrets.choice(ANIMALS)}-{secrets.randbelow(9000) + 1000}"


ID_LETTERS = 16
CODE_LETTERS = 8
"""Some 40 bits: with 60 tries a minute and a thousand classes, a guess is right once in many years."""


def _letters(count: int) -> str:
    return "".join(secrets.choice(session_record.ALPHABET) for _each in range(count))


def new_join_code() -> str:
    """Return a join code to be read from a wall: h7kq-m3xp."""
    letters = _letters(CODE_LETTERS)
    return f"{letters[:4]}-{letters[4:]}"


def plain_code(text: str) -> str:
    """Return a join code as it is kept, however it was typed."""
    letters = re.sub(r"[^0-9a-z]", "", text[:64].lower())
    return f"{letters[:4]}-{letters[4:]}"


def make_class(teacher: Any, name: str, units: list[str], keep_days: int) -> Classroom:
    """Make a class, or raise `RequestRefused`."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= 80:
        raise RequestRefused(_("Give the class a name of up to 80 characters."))
    if teacher.classes.count() >= limits.CLASSES:
        raise RequestRefused(
            _("You have %(most)s classes, which is the limit. Delete one first."), most=limits.CLASSES
        )
    return Classroom.objects.create(
        public_id=_letters(ID_LETTERS),
        teacher=teacher,
        name=name,
        join_code=new_join_code(),
        units=known_units(units),
        keep_until=timezone.now().date() + timedelta(days=kept_days(keep_days)),
    )


def known_units(units: list[str]) -> list[str]:
    """Return those of the units and single exercises that exist, in the order that was given, each once."""
    known = {unit.slug for unit in catalog.units()}
    return [slug for slug in dict.fromkeys(units) if slug in known or catalog.find(slug[:60]) is not None]


def kept_days(days: int) -> int:
    """Return the days that were asked for, if one may ask for them."""
    return days if days in limits.KEEP_DAYS else limits.KEEP_DAYS_USUALLY


def change_class(classroom: Classroom, units: list[str], keep_days: int | None, joining: bool) -> None:
    """Assign units, open or close the door, and set how long everything is kept from now on."""
    classroom.units = known_units(units)
    classroom.joining = joining
    if keep_days is not None:
        classroom.keep_until = timezone.now().date() + timedelta(days=kept_days(keep_days))
    classroom.save(update_fields=["units", "joining", "keep_until"])
    rooms.announce_change(classroom.pk)


def renew_join_code(classroom: Classroom) -> None:
    """Give the class another code; who is in stays in."""
    classroom.join_code = new_join_code()
    classroom.save(update_fields=["join_code"])
    rooms.announce_change(classroom.pk)


def join(browser: Any, code: str, nickname: str) -> Student:
    """Make the browser's person a student of the class with this code, or raise `RequestRefused`.

    The answer distinguishes a wrong code, a closed class and a full one only as far as a stranger may know.
    """
    classroom = Classroom.objects.filter(join_code=plain_code(code), joining=True).first()
    if classroom is None:
        raise RequestRefused(NO_CLASS)
    name = cleaned(nickname)
    already = Student.objects.filter(classroom=classroom, learner=learners.current(browser)).first()
    if already is not None:  # the code was scanned again
        return already
    if {folded(name), request_callers.visitor(browser)} & set(classroom.blocked):
        raise RequestRefused(
            _("Your teacher does not let you in under this name or from this browser. Ask in class.")
        )
    if classroom.students.count() >= limits.students():
        raise RequestRefused(_("This class is full."))
    learners.forget(browser)  # whoever used this browser before keeps their work under their own code
    try:
        with transaction.atomic():
            learner = learners.begin(browser)
            learner.group = f"class {classroom.pk}"
            learner.save(update_fields=["group"])
            student = Student.objects.create(
                classroom=classroom,
                learner=learner,
                nickname=name,
                folded=folded(name),
                visitor=request_callers.visitor(browser),
            )
    except IntegrityError:
        learners.forget(browser)
        raise RequestRefused(_("Somebody in this class has this nickname. Choose another.")) from None
    rooms.announce_change(classroom.pk)
    return student


def seen_in(student: Student, visitor: str) -> None:
    """Remember the browser that a student uses now."""
    if visitor and visitor != student.visitor:
        Student.objects.filter(pk=student.pk).update(visitor=visitor)


NO_CLASS = _("No class takes students with this code. Check it, or ask your teacher.")


def freeze(classroom: Classroom, frozen: bool) -> None:
    """Let everybody look up, or go on."""
    classroom.frozen = frozen
    classroom.save(update_fields=["frozen"])
    rooms.announce_change(classroom.pk)


def rename(student: Student, nickname: str) -> None:
    """Give a student another nickname, or raise `RequestRefused`."""
    name = cleaned(nickname)
    try:
        with transaction.atomic():
            Student.objects.filter(pk=student.pk).update(nickname=name, folded=folded(name))
    except IntegrityError:
        raise RequestRefused(_("Somebody in this class has this nickname. Choose another.")) from None
    rooms.announce_change(student.classroom_id)


def block(student: Student) -> None:
    """Keep a nickname and its browser from joining this class again; what they did is deleted elsewhere."""
    classroom = student.classroom
    barred = [each for each in (student.folded, student.visitor) if each]
    classroom.blocked = [*dict.fromkeys([*classroom.blocked, *barred])][-limits.BLOCKED :]
    classroom.save(update_fields=["blocked"])


def unblock_all(classroom: Classroom) -> None:
    classroom.blocked = []
    classroom.save(update_fields=["blocked"])


def add_teacher(classroom: Classroom, name: str) -> None:
    """Let another teacher lead the class as well, or raise `RequestRefused`."""
    found = get_user_model().objects.filter(username=name.strip()[:150], is_active=True).first()
    if found is None or found.pk == classroom.teacher_id:
        raise RequestRefused(_("No other teacher has this user name."))
    if classroom.co_teachers.count() >= limits.CO_TEACHERS:
        raise RequestRefused(
            _("A class has at most %(most)s teachers besides its own."), most=limits.CO_TEACHERS
        )
    classroom.co_teachers.add(found)


def remove_teacher(classroom: Classroom, name: str) -> None:
    """Let somebody lead the class no more."""
    classroom.co_teachers.remove(*classroom.co_teachers.filter(username=name[:150]))
    rooms.announce_change(classroom.pk)


def end_lesson(classroom: Classroom) -> None:
    """End the lesson: the vote that is on is over, a freeze is released, the pushed state goes."""
    classroom.votes.exclude(stage__in=("over", "cancelled")).update(stage="over")
    classroom.frozen, classroom.pushed, classroom.pushed_at = False, None, None
    classroom.lesson_ended = timezone.now()
    classroom.save(update_fields=["frozen", "pushed", "pushed_at", "lesson_ended"])
    rooms.announce_change(classroom.pk)


def begin_lesson(classroom: Classroom) -> None:
    """Begin another lesson: the next report begins now."""
    classroom.lesson_began, classroom.lesson_ended = timezone.now(), None
    classroom.save(update_fields=["lesson_began", "lesson_ended"])
    rooms.announce_change(classroom.pk)


def push(classroom: Classroom, link: str, by: str = "") -> None:
    """Open a kept run for everybody: a link, its short id, or the name of a ready scenario. Raises RequestRefused."""
    name = link.strip()[:500]
    if "/" in name:
        found = re.search(r"/r/([2-9a-z]{1,32})/?$", urlsplit(name).path)
        name = found[1] if found else ""
    kept = sessions.scenario_by_name(name) if re.fullmatch(r"[0-9a-z-]{1,80}", name) else None
    if kept is None:
        raise RequestRefused(
            _("No run is kept under this link. Use Share in the playground, and paste the link here.")
        )
    classroom.pushed, classroom.pushed_at, classroom.pushed_by = kept, timezone.now(), by
    classroom.save(update_fields=["pushed", "pushed_at", "pushed_by"])
    rooms.announce_change(classroom.pk)


def delete_class(classroom: Classroom) -> None:
    for student in list(Student.everyone.filter(classroom=classroom).select_related("learner")):
        exercises.delete_learner(student.learner)
    pk = classroom.pk
    classroom.delete()
    rooms.announce_change(pk)


def delete_teacher(teacher: Any) -> None:
    for classroom in list(Classroom.everyone.filter(teacher=teacher)):
        delete_class(classroom)
    teacher.delete()


def purge() -> tuple[int, int]:
    """Delete classes past their date, and learners outside of classes who have not come for long; return how many."""
    stale = list(Classroom.objects.filter(keep_until__lt=timezone.now().date()))
    for classroom in stale:
        delete_class(classroom)
    horizon = timezone.now() - timedelta(days=limits.LEARNERS_KEEP_DAYS)
    gone = list(Learner.objects.filter(student=None, last_seen__lt=horizon))
    for learner in gone:
        exercises.delete_learner(learner)
    return len(stale), len(gone)


def list_context(teacher: Any) -> dict[str, Any]:
    return {
        "classes": teacher.classes.all(),
        "shared_classes": teacher.shared_classes.filter(leaving_at=None),
        "classroom": None,
        "unit_choices": unit_choices(get_language() or "en"),
        "single_choices": single_choices(get_language() or "en", teacher),
        "keep_days": limits.KEEP_DAYS,
        "class_size": limits.students(),
    }


def unit_choices(language: str, handed: Sequence[str] = ()) -> list[tuple[Any, Any]]:
    """Return the units with their texts: those that are handed out first, in their order."""
    places = {slug: place for place, slug in enumerate(handed)}
    units = sorted(catalog.units(), key=lambda unit: places.get(unit.slug, len(places)))
    return [(unit, unit.texts(language)) for unit in units]


def single_choices(language: str, teacher: Any, handed: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Return every exercise with its title, to be handed out alone: the teacher's own and those handed out first."""
    own = [*teacher.made.values_list("slug", flat=True), *handed]
    made = [each for slug in dict.fromkeys(own) if (each := catalog.find(slug)) and each.unit == MADE]
    return [(each.slug, each.texts(language).title) for each in (*made, *catalog.exercises().values())]


class LessonStep(NamedTuple):
    """A step of the lesson.

    Args:
        votes: whether the class votes in two rounds; else each works alone.
        exercise: the exercise's name.
        minutes: how long, with the talk about it.
    """

    votes: bool
    exercise: str
    minutes: int


READY: Final = (
    LessonStep(True, "tail-or-head", 12),
    LessonStep(False, "first-paging", 18),
    LessonStep(True, "memory-after-paging", 10),
)
REPORT_MINUTES: Final = 5
"""What is left for the report of the lesson."""


def steps(language: str) -> list[dict[str, Any]]:
    every = catalog.exercises()
    return [
        {
            **each._asdict(),
            "unit": every[each.exercise].unit,
            "title": every[each.exercise].texts(language).title,
            "misconception": every[each.exercise].texts(language).misconception,
        }
        for each in READY
    ]
