"""Whether others can reach this server by the name under which it was asked, and by which one they could."""

from __future__ import annotations

import ipaddress
import socket

ELSEWHERE = ("192.0.2.1", 9)
"""An address that belongs to nobody (RFC 5737): asking for the way there sends nothing."""


def unreachable(host: str, port: str = "") -> str:
    """Return the name of this machine in its network if `host` means only itself; otherwise nothing.

    Args:
        host: as the browser asked for it, with a port or without.
        port: where the server listens, for a host without a port.
    """
    name, _colon, given = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    name = name or given
    if not is_loopback(name.strip("[]")):
        return ""
    port = given if name != given else port
    return f"{own_address()}:{port}" if port and port != "80" else own_address()


def is_loopback(name: str) -> bool:
    """Return whether a host's name or address means the machine itself."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def own_address() -> str:
    """Return the address of this machine in its network, its name where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(ELSEWHERE)
            return str(way.getsockname()[0])
        except OSError:
            return socket.gethostname()
