"""What browsers run is found where there is no server: the same search as in `make wasm`, which takes minutes."""

from __future__ import annotations

import subprocess

import pytest

from tools import wasm, wasm_browser_app


def test_a_session_and_inspect_need_neither_a_server_nor_its_database() -> None:
    found = {path.relative_to(wasm.ROOT).as_posix() for path in wasm.session_sources()}
    assert {"playground/hosting/solo.py", "playground/inspecting/browser_inspect.py"} <= found


def test_the_app_in_the_browser_needs_no_database() -> None:
    found = {name for name, _data in wasm_browser_app.files(wasm.ASKED)}
    assert {"playground/browser_app/browser_app.py", "addresses.json"} <= found


@pytest.mark.parametrize("module", ["django.db", "asyncio", "playground.models"])
def test_a_module_that_needs_them_is_seen(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        wasm, "SESSIONS", wasm.SESSIONS.replace("import playground", f"import {module}, playground")
    )
    with pytest.raises(subprocess.CalledProcessError):
        list(wasm.session_sources())
