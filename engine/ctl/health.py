"""The health checks of rabbitmq-diagnostics: what runs, what rings, what listens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.ctl.errors import CtlRefused, NotHere
from engine.ctl.request import BAD_VALUE, Request
from engine.ctl.status import cluster_names
from engine.ctl.usage import NODE_NAME

State = Mapping[str, Any]
FAILED: Final = 69
ALARMS: Final = {"memory": "memory", "disk": "disk"}
VERSION: Final = "3.10.8"
OTP: Final = "25.2.3"
AMQP: Final = 5672
LISTENERS: Final = {
    "clustering": (25672, "inter-node and CLI tool communication"),
    "amqp": (AMQP, "AMQP 0-9-1 and AMQP 1.0"),
}
"""Port and purpose of what a node without plugins listens for, by protocol."""
ALIASES: Final = {"amqp091": "amqp", "amqp10": "amqp", "amqp0.9.1": "amqp", "amqp1.0": "amqp"}


def _running(_: Request, __: State) -> tuple[str, str]:
    answer = f"RabbitMQ on node {NODE_NAME} is fully booted and running"
    return f"Checking if RabbitMQ is running on node {NODE_NAME} ...", answer


def _is_running(_: Request, __: State) -> tuple[str, str]:
    answer = f"RabbitMQ on node {NODE_NAME} is fully booted and running"
    return f"Asking node {NODE_NAME} for its status ...", answer


def _is_booting(_: Request, __: State) -> tuple[str, str]:
    answer = (
        f"RabbitMQ on node {NODE_NAME} is fully booted (check with is_running), stopped or has not started "
        "booting yet"
    )
    return f"Asking node {NODE_NAME} for its boot status ...", answer


def _virtual_hosts(_: Request, __: State) -> tuple[str, str]:
    answer = f"Node {NODE_NAME} reported all vhosts as running"
    return f"Checking if all vhosts are running on node {NODE_NAME} ...", answer


def _ports(_: Request, __: State) -> tuple[str, str]:
    heading = f"Testing TCP connections to all active listeners on node {NODE_NAME} ..."
    return heading, f"Successfully connected to ports 5672, 25672 on node {NODE_NAME}."


def _server_version(_: Request, __: State) -> tuple[str, str]:
    return f"Asking node {NODE_NAME} for its RabbitMQ version...", VERSION


def raised(state: State) -> list[str]:
    """Return the resources of which the node has an alarm (A1)."""
    alarms = state["node"].get("alarms", {})
    return [name for each, name in ALARMS.items() if alarms.get(each)]


def _local_alarms(request: Request, state: State) -> tuple[str, str]:
    return _alarms(request, state, "report any local resource alarms", "no local alarms", fails=True)


def _all_alarms(request: Request, state: State) -> tuple[str, str]:
    return _alarms(
        request, state, "report any local resource alarms", "no alarms, local or clusterwide", fails=True
    )


def _known_alarms(request: Request, state: State) -> tuple[str, str]:
    return _alarms(
        request, state, "report any known resource alarms", "no alarms, local or clusterwide", fails=False
    )


def _alarms(request: Request, state: State, ask: str, none: str, *, fails: bool) -> tuple[str, str]:
    """Return what is said of alarms; a check fails where there is one.

    Raises:
        CtlRefused: the check found one.
    """
    heading = f"Asking node {NODE_NAME} to {ask} ..."
    found = raised(state)
    if not found:
        return heading, f"Node {NODE_NAME} reported {none}"
    words = {"memory": "Memory alarm on node", "disk": "Free disk space alarm on node"}
    listed = "\n".join(f"{words[each]} {NODE_NAME}" for each in found)
    if not fails:
        return heading, listed
    before = "" if request.quiet else f"{heading}\n"
    raise CtlRefused(f"{before}Error:\n{listed}\n", FAILED)


def _listeners(_: Request, __: State) -> tuple[str, str]:
    listed = [
        f"Interface: 127.0.0.1, port: {port}, protocol: {protocol}, purpose: {purpose}"
        for protocol, (port, purpose) in LISTENERS.items()
    ]
    return f"Asking node {NODE_NAME} to report its protocol listeners ...", "\n".join(listed)


def _port_listener(request: Request, _: State) -> tuple[str, str]:
    port = request.arguments[0]
    if not port.isdecimal():
        raise request.invalid("Bad argument: Argument must be a positive integer", BAD_VALUE)
    heading = f"Asking node {NODE_NAME} if there's an active listener on port {port} ..."
    ports = sorted(each for each, _purpose in LISTENERS.values())
    if port not in map(str, ports):
        found = ", ".join(map(str, ports))
        reason = (
            f"No listener for port {port} is active on node {NODE_NAME}. Found listeners that use the following "
            f"ports: {found}"
        )
        raise CtlRefused(f"{'' if request.quiet else heading}\n{reason}\n".lstrip("\n"), FAILED)
    return heading, f"A listener for port {port} is running on node {NODE_NAME}."


def _protocol_listener(request: Request, _: State) -> tuple[str, str]:
    protocol = request.arguments[0]
    heading = f"Asking node {NODE_NAME} if there's an active listener for protocol {protocol} ..."
    if ALIASES.get(protocol, protocol) not in LISTENERS:
        reason = (
            f"No listener for protocol {protocol} is active on node {NODE_NAME}. Found listeners for the following "
            f"protocols: {', '.join(sorted(LISTENERS))}"
        )
        raise request.failed(heading, reason, FAILED)
    return heading, f"A listener for protocol {protocol} is running on node {NODE_NAME}."


def _erlang_version(_: Request, __: State) -> tuple[str, str]:
    return f"Asking node {NODE_NAME} for its Erlang/OTP version...", f"Erlang/OTP {OTP}"


def _tls_versions(_: Request, __: State) -> tuple[str, str]:
    return "Listing all TLS versions supported by the runtime...", "tlsv1.3\ntlsv1.2\ntlsv1.1\ntlsv1"


def _critical(what: str) -> Any:
    def answer(_: Request, state: State) -> tuple[str, str]:
        nodes, _running = cluster_names(state)
        if len(nodes) > 1:
            raise NotHere("of a cluster this check is not played here; the page shows each queue's mirrors")
        heading = f"Checking if node {NODE_NAME} is critical for {what} ..."
        return (
            heading,
            f"Node {NODE_NAME} seems to be the only one in a single node cluster, the check does not apply",
        )

    return answer


HEALTH: Final[dict[str, Callable[[Request, State], tuple[str, str]]]] = {
    "check_running": _running,
    "is_running": _is_running,
    "is_booting": _is_booting,
    "check_virtual_hosts": _virtual_hosts,
    "server_version": _server_version,
    "check_port_connectivity": _ports,
    "check_local_alarms": _local_alarms,
    "check_alarms": _all_alarms,
    "alarms": _known_alarms,
    "listeners": _listeners,
    "check_port_listener": _port_listener,
    "check_protocol_listener": _protocol_listener,
    "erlang_version": _erlang_version,
    "tls_versions": _tls_versions,
    "check_if_node_is_mirror_sync_critical": _critical("data safety of any classic mirrored queues"),
    "check_if_node_is_quorum_critical": _critical("quorum of any quorum queues"),
}
"""What answers each check."""
