"""Limits, parameters, operator policies, flags, tracing: none is kept here; a broker's refusals come as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.amqp.policies import Policy, PolicyRefused, checked, listed, term
from engine.ctl.errors import NotHere
from engine.ctl.listings import FLAGS
from engine.ctl.request import NODE_REFUSED, Request
from engine.ctl.terms import decoded
from engine.ctl.usage import NODE_NAME
from engine.reading.hosts import vhosts_of

State = Mapping[str, Any]
SOFTWARE: Final = 70
USAGE: Final = 64
LIMITS: Final = ("max-connections", "max-queues")
LEVELS: Final = ("debug", "info", "warning", "error", "critical", "none")
OF_OPERATORS: Final = frozenset(
    "delivery-limit expires max-in-memory-bytes max-in-memory-length max-length max-length-bytes message-ttl "
    "target-group-size".split()
)
"""Keys that an operator's policy may have."""
HERE: Final = frozenset({"vhost-limits", "operator_policy", "policy"})
"""Components of parameters that a node without plugins has."""
UNSET: Final = "Parameter does not exist"
NOT_KEPT: Final = "{} not kept here; nothing was changed"
NO_JSON: Final = "JSON decoding error. Reason: badarg"

Saying = Callable[[Request, State], tuple[str, str]]


def _check_vhost(request: Request, state: State, heading: str) -> None:
    if request.vhost not in vhosts_of(state):
        raise request.no_vhost(heading)


# --- limits of virtual hosts ---


def _set_vhost_limits(request: Request, state: State) -> tuple[str, str]:
    text = request.arguments[0]
    heading = f'Setting vhost limits to "{text}" for vhost "{request.vhost}" ...'
    try:
        limits = decoded(text)
    except ValueError:
        raise request.failed(heading, NO_JSON) from None
    _check_vhost(request, state, heading)
    unknown = (
        {name: value for name, value in limits.items() if name not in LIMITS}
        if isinstance(limits, dict)
        else {}
    )
    for name in LIMITS:
        value = limits.get(name, 0) if isinstance(limits, dict) else 0
        if not isinstance(value, int | float):
            reason = f"Validation failed\n\n{name} should be a number, actually was {term(value)}\n"
            raise request.failed(heading, reason)
    if unknown:
        raise request.failed(
            heading, f"Validation failed\n\nUnrecognised terms {listed(unknown.items())} in limits\n"
        )
    raise NotHere(NOT_KEPT.format("limits of virtual hosts are"))


def _list_vhost_limits(request: Request, state: State) -> tuple[str, str]:
    if "global" in request.options:
        return "Listing limits for all vhosts ...", ""
    heading = f'Listing limits for vhost "{request.vhost}" ...'
    _check_vhost(request, state, heading)
    return heading, ""


def _clear_vhost_limits(request: Request, state: State) -> tuple[str, str]:
    heading = f'Clearing vhost "{request.vhost}" limits ...'
    raise request.failed(heading, UNSET)


def _restart_vhost(request: Request, state: State) -> tuple[str, str]:
    name = request.vhost
    heading = f"Trying to restart vhost '{name}' on node '{NODE_NAME}' ..."
    if name not in vhosts_of(state):
        reason = f"Failed to start vhost '{name}' on node '{NODE_NAME}'Reason: {{:no_such_vhost, \"{name}\"}}"
        raise request.failed(heading, reason, SOFTWARE)
    return heading, f"Vhost '{name}' is already running on node '{NODE_NAME}'"


# --- parameters and operator policies ---


def _set_operator_policy(request: Request, state: State) -> tuple[str, str]:
    name, pattern, text = request.arguments
    heading = (
        f'Setting operator policy override "{name}" for pattern "{pattern}" to "{text}" with priority '
        f'"{request.options.get("priority", "0")}" for vhost "{request.vhost}" ...'
    )
    try:
        definition = decoded(text)
    except ValueError:
        raise request.failed(heading, NO_JSON) from None
    _check_vhost(request, state, heading)
    if isinstance(definition, dict):
        wrong = {key: value for key, value in definition.items() if key not in OF_OPERATORS}
        if wrong:
            reason = f"Validation failed\n\n{listed(wrong.items())} are not recognised policy settings\n"
            raise request.failed(heading, reason)
        try:
            checked(Policy(name=name, pattern=pattern, definition=definition))
        except PolicyRefused as error:
            if error.code == "broker_refuses":
                raise request.failed(heading, f"Validation failed\n\n{error}\n") from error
    raise NotHere(NOT_KEPT.format("policies of operators are"))


def _clear_operator_policy(request: Request, state: State) -> tuple[str, str]:
    heading = f'Clearing operator policy "{request.arguments[0]}" on vhost "{request.vhost}" ...'
    raise request.failed(heading, UNSET)


def _set_parameter(request: Request, state: State) -> tuple[str, str]:
    component, name, text = request.arguments
    what = f'runtime parameter "{name}" for component "{component}"'
    heading = f'Setting {what} to "{text}" in vhost "{request.vhost}" ...'
    if component not in HERE:
        raise request.failed(heading, f"Validation failed\n\ncomponent {component} not found\n")
    _check_vhost(request, state, heading)
    raise NotHere(NOT_KEPT.format("runtime parameters are"))


def _clear_parameter(request: Request, state: State) -> tuple[str, str]:
    component, name = request.arguments
    heading = (
        f'Clearing runtime parameter "{name}" for component "{component}" on vhost "{request.vhost}" ...'
    )
    raise request.failed(heading, UNSET)


def _set_global_parameter(request: Request, _: State) -> tuple[str, str]:
    name, text = request.arguments
    try:
        decoded(text)
    except ValueError:
        raise request.failed(f'Setting global runtime parameter "{name}" to "{text}" ...', NO_JSON) from None
    raise NotHere(NOT_KEPT.format("runtime parameters are"))


def _clear_global_parameter(request: Request, _: State) -> tuple[str, str]:
    name = request.arguments[0]
    if name == "internal_cluster_id":
        raise NotHere(NOT_KEPT.format("another value of this parameter is"))
    raise request.failed(f'Clearing global runtime parameter "{name}" ...', UNSET)


def _set_cluster_name(request: Request, _: State) -> tuple[str, str]:
    raise NotHere(NOT_KEPT.format("another name of the cluster is"))


# --- flags, log, tracing ---


def _enable_feature_flag(request: Request, _: State) -> tuple[str, str]:
    name = request.arguments[0]
    if name == "all":
        return "Enabling all feature flags ...", ""
    heading = f'Enabling feature flag "{name}" ...'
    if name not in FLAGS:
        raise request.failed(heading, f"This feature flag is not supported by node {NODE_NAME}", USAGE)
    return heading, ""


def _set_log_level(request: Request, _: State) -> tuple[str, str]:
    level = request.arguments[0]
    if level not in LEVELS:
        reason = f"level {level} is not supported. Try one of {', '.join(LEVELS)}"
        raise request.failed("", reason, NODE_REFUSED)
    raise NotHere("a session has no log, so its level was not set")


def _rotate_logs(request: Request, _: State) -> tuple[str, str]:
    raise request.failed("", "This command does not rotate logs anymore [deprecated]", NODE_REFUSED)


def _trace_on(_: Request, __: State) -> tuple[str, str]:
    raise NotHere("tracing is not played here: no message is copied to amq.rabbitmq.trace")


def _trace_off(request: Request, _: State) -> tuple[str, str]:
    return f'Stopping tracing for vhost "{request.vhost}" ...', f"Trace disabled for vhost {request.vhost}"


PARAMETERS: Final[dict[str, Saying]] = {
    "set_vhost_limits": _set_vhost_limits,
    "list_vhost_limits": _list_vhost_limits,
    "clear_vhost_limits": _clear_vhost_limits,
    "restart_vhost": _restart_vhost,
    "set_operator_policy": _set_operator_policy,
    "clear_operator_policy": _clear_operator_policy,
    "set_parameter": _set_parameter,
    "clear_parameter": _clear_parameter,
    "set_global_parameter": _set_global_parameter,
    "clear_global_parameter": _clear_global_parameter,
    "set_cluster_name": _set_cluster_name,
    "enable_feature_flag": _enable_feature_flag,
    "set_log_level": _set_log_level,
    "rotate_logs": _rotate_logs,
    "trace_on": _trace_on,
    "trace_off": _trace_off,
}
"""What answers each of these lines."""
