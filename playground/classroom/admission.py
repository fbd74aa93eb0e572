"""Who becomes a teacher: with an invitation at once, else when the operator agrees; and the way back in."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from playground.classroom.models import Farewell, Invitation, Recovery
from playground.hosting.session_record import ALPHABET
from playground.texts.page_message import RequestRefused

INVITED_DAYS = 14
"""An invitation is good for so long."""
WAITING_DAYS = 30
"""An account that nobody approves is forgotten after so long."""
MOST_WAITING = 2000
"""Accounts that wait for the operator; beyond that those are forgotten that came last."""
INVITATIONS = 20
"""Invitations of one teacher that nobody has used yet."""
CODE_LETTERS = 16


def new_code() -> str:
    """Return a secret code in groups of four, about 79 bits: k7f3-9xqm-2hdp-8wzt."""
    letters = "".join(secrets.choice(ALPHABET) for _each in range(CODE_LETTERS))
    return "-".join(letters[at : at + 4] for at in range(0, CODE_LETTERS, 4))


def _trace(what: str, code: str) -> str:
    letters = "".join(letter for letter in code[:100].lower() if letter.isalnum())
    return salted_hmac(f"playground.classroom.{what}", letters, algorithm="sha256").hexdigest()


def invite(by: Any = None) -> str:
    """Return the code of a new invitation; only its trace is kept. `by` is a teacher, None the operator.

    Raises:
        RequestRefused: too many of the teacher's invitations are still open.
    """
    open_ones = Invitation.objects.filter(by=by, until__gte=timezone.now())
    if by is not None and open_ones.count() >= INVITATIONS:
        raise RequestRefused(
            _("%(most)s of your invitations are still open. Wait until they are used."), most=INVITATIONS
        )
    code = new_code()
    until = timezone.now() + timedelta(days=INVITED_DAYS)
    Invitation.objects.create(trace=_trace("invitation", code), by=by, until=until)
    return code


def use_invitation(code: str) -> bool:
    """Use an invitation up; return whether it was one."""
    if not code:
        return False
    good = Invitation.objects.filter(trace=_trace("invitation", code), until__gte=timezone.now())
    return bool(good.delete()[0])


def waiting() -> Any:
    left = Farewell.objects.values("teacher")
    return get_user_model().objects.filter(is_active=False, last_login=None).exclude(pk__in=left)


def approve(name: str) -> bool:
    """Approve somebody who signed up without an invitation; return whether anybody of this name was waiting."""
    return bool(waiting().filter(username=name).update(is_active=True))


def forget_old() -> None:
    """Delete invitations that are past their date, and accounts that nobody approved."""
    now = timezone.now()
    Invitation.objects.filter(until__lt=now).delete()
    waiting().filter(date_joined__lt=now - timedelta(days=WAITING_DAYS)).delete()
    late = waiting().order_by("date_joined", "pk").values_list("pk", flat=True)[MOST_WAITING:]
    get_user_model().objects.filter(pk__in=list(late)).delete()


def new_recovery(teacher: Any) -> str:
    """Return a new recovery code of a teacher; the one before is of no use any more."""
    code = new_code()
    Recovery.objects.update_or_create(teacher=teacher, defaults={"trace": _trace("recovery", code)})
    return code


def recover(name: str, code: str) -> Any | None:
    """Return the teacher with this name and recovery code, and use the code up; None if there is none."""
    teachers = get_user_model().objects.filter(Q(is_active=True), username=name[:150])
    found = Recovery.objects.filter(teacher__in=teachers, trace=_trace("recovery", code)).first()
    if found is None or not code:
        return None
    teacher = found.teacher
    found.delete()
    return teacher
