"""Teachers' accounts, without an address of any kind: signing up, recovery, and the log-ins that are in force."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib.auth import get_user_model, login, logout
from django.contrib.auth.forms import AuthenticationForm, SetPasswordForm, UserCreationForm
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.contrib.auth.views import LoginView
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from playground.classroom import leaving, rooms, services
from playground.classroom.access import posts_limited
from playground.classroom.models import Classroom, Login
from playground.limits import request_callers
from playground.texts import RequestRefused
from playground.web.errors import too_many

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
    led = Q(teacher=user) | Q(co_teachers=user)
    return list(Classroom.objects.filter(led).distinct().values_list("pk", flat=True))


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
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
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
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
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
    leaving.leave(request, teacher)
    return redirect("home")
