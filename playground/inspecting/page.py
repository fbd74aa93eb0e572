"""What the page Inspect is made of, for a server or for the static edition."""

from __future__ import annotations

import sys
from typing import Any

from playground.hosting import refusals
from playground.inspecting import damage, uploads
from playground.web import live_page


def context(
    worker: str,
    place: str,
    server: str = "",
    importing: str = "",
    outdated: bool = False,
    session: dict[str, Any] | None = None,
    node_file: str = "",
) -> dict[str, Any]:
    """Return what the template `inspecting/page.html` needs.

    Args:
        worker: address of the worker's script; empty where the engine for browsers is not built.
        place: address of the engine's files, with a slash at the end.
        server: address that reads what is sent to it; empty where there is no server.
        importing: address that takes a scenario; empty where there is no server.
        outdated: whether the engine for browsers was built from other sources than the server runs.
        node_file: address of the file that reads a directory on its node; empty where it is not built.
        session: whose files are read at once: the address of their zip, and the choice to make of them.
    """
    data = {"story": None, "urls": {**live_page.NOWHERE, "past": "#"}}
    return {
        **live_page.context_of("inspected", {"title": "", "profile": "real"}, data),
        "most_own": uploads.MOST_BYTES_OWN >> 20,
        "most_sent": uploads.MOST_BYTES >> 20,
        "on_server": bool(server),
        "node_file": node_file,
        "python": f"{sys.version_info[0]}.{sys.version_info[1]}",  # that it is built for, see tools/inspect_file.py
        "inspect_data": {
            "worker": worker,
            "place": place,
            "outdated": outdated,
            "server": server,
            "importing": importing,
            "most_sent": uploads.MOST_BYTES >> 20,
            "session": session,
            "sentences": {code: str(text) for code, text in {**refusals.TEXTS, **damage.TEXTS}.items()},
            "kinds": {kind: str(text) for kind, text in damage.KINDS.items()},
        },
    }
