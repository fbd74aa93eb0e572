"""Ports that are given to a process are nobody else's, although nothing listens there yet."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tools import free_port as ports

IN_ANOTHER = (
    "from tools import free_port as ports; ports.FIRST, ports.LAST = {}, {}; print(ports.free_port())"
)


def test_a_port_that_was_given_is_given_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    given = ports.free_port()
    program = [sys.executable, "-c", IN_ANOTHER.format(given, given + 1)]
    other = subprocess.run(program, capture_output=True, text=True, check=False)
    assert f"no port between {given} and {given + 1} is free" in other.stderr
    monkeypatch.setattr(ports, "FIRST", given)
    monkeypatch.setattr(ports, "LAST", given + 1)
    with pytest.raises(OSError, match="no port"):
        ports.free_port()


def test_the_oldest_port_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    given = ports.free_port()
    monkeypatch.setattr(ports, "MOST_CLAIMED", 1)
    assert ports.free_port() != given
    while given in ports._mine:
        ports.free_port()
    program = [sys.executable, "-c", IN_ANOTHER.format(given, given + 1)]
    other = subprocess.run(program, capture_output=True, text=True, check=True)
    assert int(other.stdout) == given
