"""Who may do what in a class, and teachers' accounts, without an address of any kind: signing up, recovery, log-ins.

A class hears of work on exercises; it holds that work while the teacher speaks, a vote is on, or a test.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import wraps
from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib.auth import SESSION_KEY, get_user_model, login, logout
from django.contrib.auth.forms import AuthenticationForm, SetPasswordForm, UserCreationForm
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.contrib.auth.views import LoginView
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from playground.classroom import asking, rooms, selectors, services
from playground.classroom.models import Classroom, Login, Student
from playground.exercises import learners
from playground.exercises.models import Learner
from playground.limits import request_callers
from playground.texts import PageMessage, RequestRefused
from playground.web.access import View, form_page
from playground.web.errors import PageGone, too_many


def posts_limited(what: str) -> Callable[[View], View]:
    """Let one address send a form only so many times a minute, see `ratelimit.PER_MINUTE`."""

    def decorate(view: View) -> View:
        @wraps(view)
        def limited(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method == "POST":
                try:
                    services.take_token(what, request_callers.address_in(request))
                except RequestRefused as refused:
                    return too_many(request, refused.message)
            return view(request, *args, **kwargs)

        return limited

    return decorate


def for_teachers(view: View) -> View:
    """Let in only people who are logged in; pass nothing else."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect(f"{reverse('login')}?next={request.path}")
        try:
            services.take_token("teacher", str(request.user.pk))
        except RequestRefused as refused:
            return too_many(request, refused.message)
        return view(request, *args, **kwargs)

    return guarded


def for_the_teacher(view: View) -> View:
    """Let only the teacher of the class in; for everybody else there is no such class."""

    @wraps(view)
    def guarded(request: HttpRequest, public_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        classroom = selectors.of_teacher(request.user, public_id)
        if classroom is None:
            raise PageGone(
                gettext_lazy("There is no such class"),
                PageMessage(gettext_lazy("It may have been deleted, or it is not yours.")),
            )
        return view(request, classroom, *args, **kwargs)

    return for_teachers(guarded)


def student_or_gone(classroom: Classroom, pk: int) -> Student:
    """Return a student of this class, or raise `PageGone`."""
    found = classroom.students.select_related("learner").filter(pk=pk).first()
    if found is None:
        raise PageGone(
            gettext_lazy("There is no such student"),
            PageMessage(gettext_lazy("The student may have left the class.")),
        )
    return found


def for_students(view: View) -> View:
    """Let only a student in, with the class; others are led to the door."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        student = selectors.student_of(learners.current(request.session))
        if student is None:
            return redirect("join")
        return view(request, student, *args, **kwargs)

    return guarded


def begin_hearing() -> None:
    request_callers.register(group_of)
    learners.worked.connect(_worked, dispatch_uid="classroom")
    learners.register(closed)
    rooms.begin()


def group_of(browser: Mapping[str, Any]) -> str:
    """Return how limits call a student's class, or a teacher."""
    learner = browser.get(learners.NUMBER)
    if isinstance(learner, int) and (found := _class_of(learner)) is not None:
        return f"class {found}"
    return f"teacher {browser[SESSION_KEY]}" if SESSION_KEY in browser else ""


def _class_of(learner: int) -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(_CLASS, [learner])
        found = cursor.fetchone()
    return None if found is None else found[0]


# Written out, because they are asked for each answer and each page: Django takes longer to write them than the database
# to answer them.
_CLASS: Final = """
    SELECT student.classroom_id
    FROM classroom_student AS student JOIN exercises_learner AS learner ON learner.id = student.learner_id
    WHERE student.learner_id = %s AND learner.leaving_at IS NULL
"""
_STANDING: Final = """
    SELECT classroom.frozen,
        EXISTS (
            SELECT 1 FROM classroom_vote AS vote
            WHERE vote.classroom_id = classroom.id AND vote.exercise = %s AND vote.stage NOT IN (%s, %s, %s)
        ),
        (
            SELECT paper.exercises FROM classroom_classpaper AS paper
            WHERE paper.classroom_id = classroom.id AND NOT paper.closed
                AND (paper.ends_at IS NULL OR paper.ends_at > %s)
            ORDER BY paper.opened DESC LIMIT 1
        )
    FROM classroom_student AS student JOIN classroom_classroom AS classroom ON classroom.id = student.classroom_id
    WHERE student.learner_id = %s AND classroom.leaving_at IS NULL
"""


def closed(learner: Learner, slug: str, hidden: bool) -> PageMessage | None:
    """Return why a student may not work on an exercise now, or with `hidden` not even see it."""
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    with connection.cursor() as cursor:
        cursor.execute(_STANDING, [slug, *asking.ENDED, "revealed", now, learner.pk])
        found = cursor.fetchone()
    if found is None:
        return None
    frozen, voted_on, tested = found
    if frozen and not hidden:
        return PageMessage(gettext_lazy("Your teacher has paused the class. Look up; it continues soon."))
    if voted_on:
        return PageMessage(gettext_lazy("Your class votes on this exercise. It opens again with the result."))
    if tested and slug in json.loads(tested):
        return PageMessage(
            gettext_lazy("Your class has a test on this exercise. It opens again when the test has ended.")
        )
    return None


def _worked(sender: Any, learner: Learner, work: Any = None, **more: Any) -> None:
    classroom = _class_of(learner.pk)
    if classroom is not None:
        (rooms.announce_change if work is None else rooms.announce_work)(classroom)


KEY: Final = "login"


def listen() -> None:
    """Write log-ins down, and strike them out again."""
    user_logged_in.connect(_begun, dispatch_uid="logins")
    user_logged_out.connect(_ended, dispatch_uid="logins")


def trace_of(browser: Mapping[str, Any]) -> str:
    """Return what is kept of the log-in of a browser, or nothing."""
    number = browser.get(KEY)
    return hashlib.sha256(number.encode()).hexdigest() if isinstance(number, str) else ""


def _begun(sender: Any, request: HttpRequest, user: Any, **more: Any) -> None:
    Login.objects.filter(begun__lt=timezone.now() - timedelta(seconds=settings.SESSION_COOKIE_AGE)).delete()
    request.session[KEY] = secrets.token_hex(16)
    Login.objects.create(teacher=user, trace=trace_of(request.session))


def _ended(sender: Any, request: HttpRequest, user: Any, **more: Any) -> None:
    Login.objects.filter(trace=trace_of(request.session)).delete()
    for classroom in classes_of(user) if user else ():
        rooms.announce_change(classroom)  # whoever still watches it with a copied cookie


def classes_of(user: Any) -> list[int]:
    return list(selectors.led_by(user).values_list("pk", flat=True))


def known(browser: Mapping[str, Any], user: Any) -> Any:
    """Return the user if the log-in of this browser is in force, else nobody."""
    trace = trace_of(browser)
    if user.is_authenticated and trace and Login.objects.filter(teacher=user, trace=trace).exists():
        return user
    return AnonymousUser()


class LoginsInForce:
    """Lets a request have the user of its cookie only while that log-in is in force. For after Django's own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        request.user = SimpleLazyObject(lambda: known(request.session, user))
        return self._get_response(request)


class SignUpForm(UserCreationForm):
    """A name and a password, checked by Django's validators."""

    invitation = forms.CharField(
        max_length=100,
        required=False,
        label=gettext_lazy("Invitation (without one, the operator has to agree)"),
    )

    class Meta(UserCreationForm.Meta):
        model = get_user_model()
        fields = ("username",)


@sensitive_post_parameters()
@form_page
@posts_limited("signup")
def sign_up(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return redirect("classes")
    form = SignUpForm(request.POST or None, initial={"invitation": request.GET.get("with", "")[:100]})
    if request.method == "POST" and form.is_valid():
        return _welcome(request, form)
    return render(request, "classroom/sign_up.html", {"form": form}, status=422 if form.errors else 200)


def _welcome(request: HttpRequest, form: SignUpForm) -> HttpResponse:
    """Let in a visitor with an invitation, with a recovery code shown once; others wait for the operator."""
    teacher = form.save(commit=False)
    invited = services.use_invitation(form.cleaned_data["invitation"])
    teacher.is_active = invited or settings.WATERLINE_SIGN_UP == "open"
    teacher.save()
    if not teacher.is_active:
        return render(request, "classroom/waiting.html", {"name": teacher.get_username()})
    login(request, teacher)
    request.session["recovery_code"] = services.new_recovery(teacher)
    return redirect("classes")


class RecoverForm(SetPasswordForm):
    """A name, a recovery code, and a new password that Django's validators check."""

    username = forms.CharField(max_length=150, label=gettext_lazy("User name"))
    code = forms.CharField(max_length=100, label=gettext_lazy("Recovery code"))
    field_order = ("username", "code", "new_password1", "new_password2")


@sensitive_post_parameters()
@form_page
@posts_limited("recover")
def recover(request: HttpRequest) -> HttpResponse:
    """Set another password with the recovery code; everybody else is logged out."""
    form = RecoverForm(AnonymousUser(), request.POST or None)
    if request.method == "POST" and form.is_valid():
        teacher = services.recovered_teacher(form.cleaned_data["username"], form.cleaned_data["code"])
        if teacher is None:
            form.add_error(None, _("Name and recovery code do not match. Check them, or ask the operator."))
        else:
            teacher.set_password(form.cleaned_data["new_password1"])
            teacher.save(update_fields=["password"])
            teacher.logins.all().delete()
            login(request, teacher)
            request.session["recovery_code"] = services.new_recovery(teacher)
            return redirect("classes")
    return render(request, "classroom/recover.html", {"form": form}, status=422 if form.errors else 200)


@require_POST
def renew_recovery(request: HttpRequest) -> HttpResponse:
    """Give a teacher another recovery code, shown once."""
    if not request.user.is_authenticated:
        return redirect("login")
    request.session["recovery_code"] = services.new_recovery(request.user)
    return redirect("classes")


@require_POST
def invite(request: HttpRequest) -> HttpResponse:
    """Make an invitation for a colleague, shown once."""
    if not request.user.is_authenticated:
        return redirect("login")
    try:
        request.session["invitation"] = services.new_invitation(request.user)
    except RequestRefused as refused:
        context = services.list_context(request.user) | {"problem": str(refused.message)}
        return render(request, "classroom/classes.html", context, status=409)
    return redirect("classes")


class LogInForm(LoginView):
    """Log in, only so often from one address and under one name."""

    template_name = "classroom/log_in.html"
    authentication_form = AuthenticationForm
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            services.take_token("login", request_callers.address_in(request))
            name = request.POST.get("username", "")[:150].casefold()
            services.take_token("login-name", f"{request_callers.address_in(request)} {name}")
        except RequestRefused as refused:
            return too_many(request, refused.message)
        return super().post(request, *args, **kwargs)


@require_POST
def delete_account(request: HttpRequest) -> HttpResponse:
    """Delete a teacher with all classes and everything in them, if the name was typed."""
    if not request.user.is_authenticated:
        return redirect("login")
    if request.POST.get("name", "") != request.user.get_username():
        context = services.list_context(request.user) | {
            "delete_error": _("Type your user name to delete the account.")
        }
        return render(request, "classroom/classes.html", context, status=422)
    teacher = get_user_model().objects.get(pk=request.user.pk)
    logout(request)
    services.leave(request, teacher)
    return redirect("home")
