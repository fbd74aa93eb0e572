"""What Inspect says of real nodes' directories is what the nodes did; `make interop-directories` has all of it."""

from __future__ import annotations

import pytest

from tools.proofs.interop import directories


def test_the_least_of_each_kind_is_equal(capsys: pytest.CaptureFixture[str]) -> None:
    """S116, W41, W96, W97, W205: counts, what is redelivered, what expires, and what a read of damage costs."""
    assert directories.main(["--tiny"]) == 0, capsys.readouterr().out
