"""Writes: classes, students, nicknames, freezing, pushing, deleting with a way back; the lesson that is ready to
start from; who becomes a teacher (invited at once, else when the operator agrees) and the way back in; bounds.
"""

from __future__ import annotations

import re
import secrets
import time
import unicodedata
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import get_user_model, login
from django.db import IntegrityError, transaction
from django.db.models import F, Model, Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.functional import SimpleLazyObject
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from playground.classroom import rooms, selectors
from playground.classroom.models import (
    Ballot,
    Classroom,
    Farewell,
    Invitation,
    PaperAnswer,
    Recovery,
    Student,
)
from playground.exercises import catalog, learners
from playground.exercises.models import Learner
from playground.exercises.schema import MADE
from playground.limits import rate_limits, request_callers
from playground.records import kept_runs
from playground.texts import RequestRefused
from playground.web.access import rate_limited_reading

CLASSES = 40
"""Classes of one teacher."""
KEEP_DAYS = (30, 90, 180, 365)
KEEP_DAYS_USUALLY = 90
LEARNERS_KEEP_DAYS = 180
"""A learner outside of classes is forgotten after so many days without a visit."""
SOCKETS_OF_A_STUDENT = 4
SOCKETS_OF_A_TEACHER = 8

CO_TEACHERS = 8
BLOCKED = 200
"""Nicknames and browsers that one class remembers as blocked."""
MOST_STUDENTS = 300
"""A lecture. Beyond that the grid is of no use, and one process cannot carry the sessions."""


def most_students() -> int:
    return min(MOST_STUDENTS, max(1, settings.WATERLINE_CLASS_SIZE))


def take_token(what: str, who: str) -> None:
    """Take a token for something, or raise `RequestRefused`."""
    if not rate_limits.take(what, who):
        raise RequestRefused(_("Too often. Wait a minute, and try again."))


INVITED_DAYS = 14
"""An invitation is good for so long."""
WAITING_DAYS = 30
"""An account that nobody approves is forgotten after so long."""
MOST_WAITING = 2000
"""Accounts that wait for the operator; beyond that those are forgotten that came last."""
INVITATIONS = 20
"""Invitations of one teacher that nobody has used yet."""
SECRET_LETTERS = 16
"""Of a code that is a secret, about 79 bits: k7f3-9xqm-2hdp-8wzt."""


def _trace(what: str, code: str) -> str:
    letters = "".join(letter for letter in code[:100].lower() if letter.isalnum())
    return salted_hmac(f"playground.classroom.{what}", letters, algorithm="sha256").hexdigest()


def new_invitation(by: Any = None) -> str:
    """Return the code of a new invitation; only its trace is kept. `by` is a teacher, None the operator. Raises
    RequestRefused: too many of the teacher's invitations are still open.
    """
    open_ones = Invitation.objects.filter(by=by, until__gte=timezone.now())
    if by is not None and open_ones.count() >= INVITATIONS:
        raise RequestRefused(
            _("%(most)s of your invitations are still open. Wait until they are used."), most=INVITATIONS
        )
    code = learners.new_code(SECRET_LETTERS)
    until = timezone.now() + timedelta(days=INVITED_DAYS)
    Invitation.objects.create(trace=_trace("invitation", code), by=by, until=until)
    return code


def use_invitation(code: str) -> bool:
    """Use an invitation up; return whether it was one."""
    if not code:
        return False
    good = Invitation.objects.filter(trace=_trace("invitation", code), until__gte=timezone.now())
    return bool(good.delete()[0])


def waiting_teachers() -> Any:
    left = Farewell.objects.values("teacher")
    return get_user_model().objects.filter(is_active=False, last_login=None).exclude(pk__in=left)


def approve_teacher(name: str) -> bool:
    """Approve somebody who signed up without an invitation; return whether anybody of this name was waiting."""
    return bool(waiting_teachers().filter(username=name).update(is_active=True))


def forget_old() -> None:
    """Delete invitations that are past their date, and accounts that nobody approved."""
    now = timezone.now()
    Invitation.objects.filter(until__lt=now).delete()
    waiting_teachers().filter(date_joined__lt=now - timedelta(days=WAITING_DAYS)).delete()
    late = waiting_teachers().order_by("date_joined", "pk").values_list("pk", flat=True)[MOST_WAITING:]
    get_user_model().objects.filter(pk__in=list(late)).delete()


def new_recovery(teacher: Any) -> str:
    """Return a new recovery code of a teacher; the one before is of no use any more."""
    code = learners.new_code(SECRET_LETTERS)
    Recovery.objects.update_or_create(teacher=teacher, defaults={"trace": _trace("recovery", code)})
    return code


def recovered_teacher(name: str, code: str) -> Any | None:
    """Return the teacher with this name and recovery code, and use the code up; None if there is none."""
    teachers = get_user_model().objects.filter(Q(is_active=True), username=name[:150])
    found = Recovery.objects.filter(teacher__in=teachers, trace=_trace("recovery", code)).first()
    if found is None or not code:
        return None
    teacher = found.teacher
    found.delete()
    return teacher


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
    for _try in range(40):
        name = f"{secrets.choice(ADJECTIVES)}-{secrets.choice(ANIMALS)}"
        if folded(name) not in taken:
            return name
    return f"{secrets.choice(ADJECTIVES)}-{secrets.choice(ANIMALS)}-{secrets.randbelow(9000) + 1000}"


ID_LETTERS = 16
CODE_LETTERS = 8
"""Some 40 bits: with 60 tries a minute and a thousand classes, a guess is right once in many years."""


def new_join_code() -> str:
    """Return a join code to be read from a wall: h7kq-m3xp."""
    return learners.new_code(CODE_LETTERS)


def plain_code(text: str) -> str:
    """Return a join code as it is kept, however it was typed."""
    letters = re.sub(r"[^0-9a-z]", "", text[:64].lower())
    return f"{letters[:4]}-{letters[4:]}"


def make_class(teacher: Any, name: str, units: list[str], keep_days: int) -> Classroom:
    """Make a class, or raise `RequestRefused`."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= 80:
        raise RequestRefused(_("Give the class a name of up to 80 characters."))
    if teacher.classes.count() >= CLASSES:
        raise RequestRefused(
            _("You have %(most)s classes, which is the limit. Delete one first."), most=CLASSES
        )
    return Classroom.objects.create(
        public_id=kept_runs.new_id(ID_LETTERS),
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
    return days if days in KEEP_DAYS else KEEP_DAYS_USUALLY


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
    """Make the browser's person a student of the class with this code, or raise `RequestRefused`. The answer
    distinguishes a wrong code, a closed class and a full one only as far as a stranger may know.
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
    if classroom.students.count() >= most_students():
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
    if visitor and visitor != student.visitor:
        Student.objects.filter(pk=student.pk).update(visitor=visitor)


NO_CLASS = _("No class takes students with this code. Check it, or ask your teacher.")


def freeze(classroom: Classroom, frozen: bool) -> None:
    classroom.frozen = frozen
    classroom.save(update_fields=["frozen"])
    rooms.announce_change(classroom.pk, at_once=True)


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
    classroom.blocked = [*dict.fromkeys([*classroom.blocked, *barred])][-BLOCKED:]
    classroom.save(update_fields=["blocked"])


def unblock_all(classroom: Classroom) -> None:
    classroom.blocked = []
    classroom.save(update_fields=["blocked"])


def add_teacher(classroom: Classroom, name: str) -> None:
    """Let another teacher lead the class as well, or raise `RequestRefused`."""
    found = get_user_model().objects.filter(username=name.strip()[:150], is_active=True).first()
    if found is None or found.pk == classroom.teacher_id:
        raise RequestRefused(_("No other teacher has this user name."))
    if classroom.co_teachers.count() >= CO_TEACHERS:
        raise RequestRefused(_("A class has at most %(most)s teachers besides its own."), most=CO_TEACHERS)
    classroom.co_teachers.add(found)


def remove_teacher(classroom: Classroom, name: str) -> None:
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
    kept = kept_runs.scenario_by_name(name) if re.fullmatch(r"[0-9a-z-]{1,80}", name) else None
    if kept is None:
        raise RequestRefused(
            _("No run is kept under this link. Use Share in the playground, and paste the link here.")
        )
    classroom.pushed, classroom.pushed_at, classroom.pushed_by = kept, timezone.now(), by
    classroom.save(update_fields=["pushed", "pushed_at", "pushed_by"])
    rooms.announce_change(classroom.pk)


def delete_class(classroom: Classroom) -> None:
    for student in list(Student.everyone.filter(classroom=classroom).select_related("learner")):
        learners.delete_learner(student.learner)
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
    horizon = timezone.now() - timedelta(days=LEARNERS_KEEP_DAYS)
    gone = list(Learner.objects.filter(student=None, last_seen__lt=horizon))
    for learner in gone:
        learners.delete_learner(learner)
    return len(stale), len(gone)


def list_context(teacher: Any) -> dict[str, Any]:
    return {
        "classes": teacher.classes.all(),
        "shared_classes": teacher.shared_classes.filter(leaving_at=None),
        "classroom": None,
        "unit_choices": unit_choices(get_language() or "en"),
        "single_choices": single_choices(get_language() or "en", teacher),
        "keep_days": KEEP_DAYS,
        "class_size": most_students(),
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
    """A step of the lesson. `votes`: whether the class votes in two rounds; else each works alone. `exercise`: the
    exercise's name. `minutes`: how long, with the talk about it.
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


def of_learner(learner: Learner) -> dict[str, Any]:
    """Return everything that is kept of somebody who works on exercises, the class and the votes included."""
    student = Student.objects.filter(learner=learner).select_related("classroom").first()
    return {
        "format": "waterline-person-1",
        "begun": learner.created.isoformat(),
        "last_seen": learner.last_seen.isoformat(),
        "class": {
            "name": student.classroom.name,
            "nickname": student.nickname,
            "joined": student.joined.isoformat(),
            "kept_until": student.classroom.keep_until.isoformat(),
        }
        if student
        else None,
        "votes": [
            {name: getattr(each, name) for name in ("exercise", "answer", "second", "right")}
            for each in Ballot.objects.filter(student=student).annotate(exercise=F("vote__exercise"))
        ],
        "tests": [
            {
                "kind": each.paper.kind,
                "exercise": each.exercise,
                "at": each.at.isoformat(),
                "said": each.tally,
                "right": each.right,
            }
            for each in PaperAnswer.objects.filter(student=student).select_related("paper")
        ],
        "exercises": [
            {
                "exercise": work.exercise,
                "begun": work.begun.isoformat(),
                "done": work.done_at.isoformat() if work.done_at else None,
                "right_first_time": work.right_first,
                "hints": work.hints,
                "solution_shown": work.solution_shown,
                "session": work.session.public_id if work.session else None,
                "answers": [
                    {
                        "number": each.number,
                        "at": each.at.isoformat(),
                        "passed": each.passed,
                        "said": each.tally,
                        "why": each.why,
                    }
                    for each in work.answers.all()
                ],
            }
            for work in learner.works.select_related("session").prefetch_related("answers")
        ],
    }


def of_teacher(teacher: Any) -> dict[str, Any]:
    """Return everything that is kept of a teacher: not the students' work, which is theirs."""
    return {
        "format": "waterline-person-1",
        "user_name": teacher.get_username(),
        "signed_up": teacher.date_joined.isoformat(),
        "last_log_in": teacher.last_login.isoformat() if teacher.last_login else None,
        "log_ins_in_force": [each.begun.isoformat() for each in teacher.logins.all()],
        "classes": [
            {"name": each.name, "made": each.created.isoformat(), "kept_until": each.keep_until.isoformat()}
            for each in teacher.classes.all()
        ],
        "shared_classes": [each.name for each in teacher.shared_classes.filter(leaving_at=None)],
        "open_invitations": teacher.invitations.count(),
    }


@require_safe
@never_cache
@rate_limited_reading
def download(request: HttpRequest) -> HttpResponse:
    """Hand the visitor all that is kept of them, as a file that programs read."""
    learner = learners.current(request.session)
    if request.user.is_authenticated:
        found = of_teacher(request.user)
    elif learner is not None:
        found = of_learner(learner)
    else:
        return redirect("privacy")
    response = JsonResponse(found, json_dumps_params={"indent": 1, "ensure_ascii": False})
    response["Content-Disposition"] = 'attachment; filename="waterline-my-data.json"'
    return response


UNDO_MINUTES = 10
KEY = "undo"


def leave(request: HttpRequest, what: Model, code: str = "") -> None:
    """Take a learner, a class or a teacher out of sight, and let this browser bring it back for some minutes.
    `what`: a Learner, a Classroom or a user. `code`: the personal code, where the browser is the learner.
    """
    carry_out()
    now = timezone.now()
    if isinstance(what, Learner):
        Learner.objects.filter(pk=what.pk).update(leaving_at=now)
        _notify_class_of(what)
    elif isinstance(what, Classroom):
        Classroom.everyone.filter(pk=what.pk).update(leaving_at=now)
        rooms.announce_change(what.pk)
    else:
        for each in list(what.classes.all()):
            Classroom.everyone.filter(pk=each.pk).update(leaving_at=now)
            rooms.announce_change(each.pk)
        type(what).objects.filter(pk=what.pk).update(is_active=False)
        Farewell.objects.create(teacher=what, at=now)
    request.session[KEY] = {
        "what": type(what).__name__,
        "pk": what.pk,
        "code": code,
        "until": time.time() + 60 * UNDO_MINUTES,
    }


def undoable(browser: Any) -> str:
    """Return what this browser may bring back: the name of a model, or nothing."""
    found = browser.get(KEY)
    return found["what"] if isinstance(found, dict) and found.get("until", 0) > time.time() else ""


def undo(request: HttpRequest) -> bool:
    """Bring back what this browser deleted; return whether it was still there."""
    carry_out()
    what, found = undoable(request.session), request.session.pop(KEY, None)
    if what == Learner.__name__:
        return _learner_back(request, found["pk"], found["code"])
    if what == Classroom.__name__:
        back = Classroom.everyone.filter(pk=found["pk"]).update(leaving_at=None)
        rooms.announce_change(found["pk"])
        return bool(back)
    return bool(what) and _teacher_back(request, found["pk"])


def _learner_back(request: HttpRequest, pk: int, code: str) -> bool:
    if not Learner.objects.filter(pk=pk).update(leaving_at=None):
        return False
    if code:
        learners.remember(request.session, code)
    _notify_class_of(Learner.objects.get(pk=pk))
    return True


def _teacher_back(request: HttpRequest, pk: int) -> bool:
    farewell = Farewell.objects.select_related("teacher").filter(teacher_id=pk).first()
    if farewell is None:
        return False
    Classroom.everyone.filter(teacher_id=pk, leaving_at=farewell.at).update(leaving_at=None)
    get_user_model().objects.filter(pk=pk).update(is_active=True)
    farewell.delete()
    login(request, get_user_model().objects.get(pk=pk), "django.contrib.auth.backends.ModelBackend")
    return True


def _notify_class_of(learner: Learner) -> None:
    learners.worked.send(Learner, learner=learner, work=None)


def carry_out() -> int:
    """Delete for good what was deleted longer ago than it can be brought back; return how much that was."""
    horizon = timezone.now() - timedelta(minutes=UNDO_MINUTES)
    gone: list[Any] = []
    for farewell in Farewell.objects.select_related("teacher").filter(at__lt=horizon):
        delete_teacher(farewell.teacher)
        gone.append(farewell)
    for classroom in Classroom.everyone.filter(leaving_at__lt=horizon):
        delete_class(classroom)
        gone.append(classroom)
    for learner in Learner.objects.filter(leaving_at__lt=horizon):
        learners.delete_learner(learner)
        gone.append(learner)
    return len(gone)


def student(request: HttpRequest) -> dict[str, Any]:
    """Return the visitor's student, looked up only if the browser has a personal code and a page asks."""
    browser = getattr(request, "session", {})
    who = SimpleLazyObject(lambda: selectors.student_of(learners.current(browser)))
    return {"student": who if learners.code_of(browser) else None, "undo": undoable(browser)}
