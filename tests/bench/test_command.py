"""The command goes on after a measurement that breaks off, names it in the last line, and keeps what it measured."""

import json
import platform
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import bench.__main__ as command
from engine import ENGINE_VERSION


def made_up(monkeypatch: pytest.MonkeyPatch, **benches: Any) -> None:
    """Put measurements in the place of the real ones; an exception in the place of a result is raised."""

    def module(name: str) -> Any:
        def run(tiny: bool) -> dict[str, Any]:
            found = benches[name.removeprefix("bench.")]
            if isinstance(found, Exception):
                raise found
            return {**found, "tiny": tiny}

        return SimpleNamespace(run=run)

    monkeypatch.setattr(command, "importlib", SimpleNamespace(import_module=module))
    monkeypatch.setattr(command, "BENCHES", tuple(benches))


def test_one_that_breaks_off_does_not_take_the_others_with_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made_up(
        monkeypatch, first=ConnectionResetError("by peer"), second={"passed": True}, third={"passed": False}
    )
    assert command.main(["--tiny"]) == 1
    printed = capsys.readouterr().out
    assert "ConnectionResetError: by peer" in printed
    assert "third: MISSED ITS BOUND" in printed
    assert printed.splitlines()[-1] == "bench: 2 of 3 ran, third missed the bound; first broke off"


def test_all_is_well(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    made_up(monkeypatch, first={"passed": True}, second={"messages": 5})
    assert command.main(["--tiny"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "bench: 2 of 2 ran, all within their bounds"


def test_an_unknown_name_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["birst"])
    assert "there is no measurement birst; there are burst, " in capsys.readouterr().err


def test_each_result_is_kept_with_what_it_was_measured_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"second": {"measured_on": {"engine": "0.0.1"}, "figure": 1}, "gone": {}}))
    made_up(monkeypatch, first={}, second={}, third={})
    command.keep({"first": {"figure": 2}}, path)
    kept = json.loads(path.read_text())
    assert list(kept) == ["first", "second"]
    assert kept["first"]["figure"] == 2
    assert kept["first"]["measured_on"]["engine"] == ENGINE_VERSION
    assert kept["first"]["measured_on"]["python"] == platform.python_version()
    assert kept["second"] == {"measured_on": {"engine": "0.0.1"}, "figure": 1}
