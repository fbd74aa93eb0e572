"""What a private node does without a broker."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.proofs.differential import node as nodes
from tools.proofs.differential.installation import RELEASES, Installation
from tools.proofs.differential.node import PrivateNode


@pytest.mark.parametrize("release", RELEASES)
def test_a_node_that_was_killed_may_be_stopped(
    release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever fills a node stops it in the end, killed before or not; a dead 3.8.9 has nobody to tell."""
    monkeypatch.setattr(nodes, "installation", lambda _: Installation(tmp_path, tmp_path))
    monkeypatch.setattr(nodes, "fill", lambda *_: None)
    with PrivateNode(release=release) as node:
        node.kill()
        node.stop()
        assert not node.is_alive
