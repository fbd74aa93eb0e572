"""Teachers' accounts: Django's own forms, without an address of any kind."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model, login, logout
from django.contrib.auth.forms import AuthenticationForm, UserCreationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from playground.classroom import leaving, limits, services
from playground.messages import Refused
from playground.web.errors import too_many


def address_of(request: HttpRequest) -> str:
    """Return the visitor's address, for rate limits only."""
    return request.META.get("REMOTE_ADDR") or ""


class SignUpForm(UserCreationForm):
    """A name and a password, checked by Django's validators."""

    class Meta(UserCreationForm.Meta):
        model = get_user_model()
        fields = ("username",)


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    """Make an account for a teacher."""
    if request.user.is_authenticated:
        return redirect("classes")
    form = SignUpForm(request.POST or None)
    if request.method == "POST":
        try:
            limits.take("signup", address_of(request))
        except Refused as refused:
            return too_many(request, refused.message)
        if form.is_valid():
            login(request, form.save())
            return redirect("classes")
    return render(request, "classroom/sign_up.html", {"form": form}, status=422 if form.errors else 200)


class LogIn(LoginView):
    """Log in, only so often from one address and under one name."""

    template_name = "classroom/log_in.html"
    authentication_form = AuthenticationForm
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Check name and password."""
        try:
            limits.take("login", address_of(request))
            name = request.POST.get("username", "")[:150].casefold()
            limits.take("login-name", f"{address_of(request)} {name}")
        except Refused as refused:
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
