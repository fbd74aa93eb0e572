"""Users and their permissions: there is one, guest, who may do everything; what would change that is not kept here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.ctl.errors import NotHere
from engine.ctl.request import NODE_REFUSED, Request
from engine.reading.hosts import vhosts_of

State = Mapping[str, Any]
GUEST: Final = "guest"
NO_USER: Final = 67
SOFTWARE: Final = 70
WRONG: Final = 65
SET_TOPIC: Final = "Setting topic permissions"
ONLY_GUEST: Final = (
    "a session has one user, guest, who may do everything in every virtual host; nothing was changed"
)


def check_user(
    request: Request, heading: str, name: str, words: str = 'User "{name}" does not exist'
) -> None:
    """Look whether there is such a user.

    Raises:
        CtlRefused: there is none; in the broker's words, which name it in two ways.
    """
    if name != GUEST:
        raise request.failed(heading, words.format(name=name), NO_USER)


def _not_kept(heading_of: Callable[[Request], str], check: Callable[[Request, str, str], None]) -> Any:
    """Return what answers a line that changes the user it names: as the broker where there is none, else not kept."""

    def answer(request: Request, _: State) -> tuple[str, str]:
        check(request, heading_of(request), request.arguments[0])
        raise NotHere(ONLY_GUEST)

    return answer


def _add_user(request: Request, _: State) -> tuple[str, str]:
    name = request.arguments[0]
    if name == GUEST:
        raise request.failed(f'Adding user "{name}" ...', f'User "{name}" already exists', SOFTWARE)
    raise NotHere(ONLY_GUEST)


def _authenticate(request: Request, _: State) -> tuple[str, str]:
    name, *password = request.arguments
    heading = f'Authenticating user "{name}" ...'
    if [name, *password] == [GUEST, GUEST]:
        return heading, "Success"
    reason = f"Error: failed to authenticate user \"{name}\"\nuser '{name}' - invalid credentials"
    raise request.failed(heading, reason, WRONG)


def _permissions(doing: str) -> Any:
    def answer(request: Request, state: State) -> tuple[str, str]:
        name = request.arguments[0]
        where = f' on "{request.arguments[1]}"' if doing == SET_TOPIC else ""
        heading = f'{doing}{where} for user "{name}" in vhost "{request.vhost}" ...'
        if request.vhost not in vhosts_of(state):
            raise request.failed(heading, f"Virtual host {request.vhost} does not exist", NODE_REFUSED)
        check_user(request, heading, name, "User {name} does not exist")
        raise NotHere(ONLY_GUEST)

    return answer


def check_known(request: Request, heading: str, name: str) -> None:
    """Look whether there is such a user, for commands to which the node says so in a term.

    Raises:
        CtlRefused: there is no such user.
    """
    if name != GUEST:
        raise request.failed(heading, f'{{:no_such_user, "{name}"}}', NODE_REFUSED)


def user_limits(request: Request, _: State) -> tuple[str, str]:
    """Return the limits of users: there are none."""
    if "global" in request.options:
        return "Listing limits for all users ...", ""
    name = request.options.get("user", GUEST)
    heading = f'Listing limits for user "{name}" ...'
    check_known(request, heading, name)
    return heading, "{}"


def _of_name(doing: str) -> Callable[[Request], str]:
    return lambda request: f'{doing} user "{request.arguments[0]}" ...'


def _tags_heading(request: Request) -> str:
    name, *tags = request.arguments
    return f'Setting tags for user "{name}" to [{", ".join(tags)}] ...'


def _limits_heading(request: Request) -> str:
    return f'Setting user limits to "{request.arguments[1]}" for user "{request.arguments[0]}" ...'


ACCOUNTS: Final[dict[str, Callable[[Request, State], tuple[str, str]]]] = {
    "add_user": _add_user,
    "delete_user": _not_kept(_of_name("Deleting"), check_user),
    "change_password": _not_kept(_of_name("Changing password for"), check_user),
    "clear_password": _not_kept(_of_name("Clearing password for"), check_known),
    "set_user_tags": _not_kept(_tags_heading, check_user),
    "set_user_limits": _not_kept(_limits_heading, check_known),
    "clear_user_limits": _not_kept(
        lambda request: f'Clearing "{request.arguments[1]}" limit for user "{request.arguments[0]}" ...',
        check_known,
    ),
    "authenticate_user": _authenticate,
    "set_permissions": _permissions("Setting permissions"),
    "clear_permissions": _permissions("Clearing permissions"),
    "set_topic_permissions": _permissions(SET_TOPIC),
    "clear_topic_permissions": _permissions("Clearing topic permissions"),
    "list_user_limits": user_limits,
}
"""What answers each line about users."""
