"""Handles of files are given back with the storage that opened them."""

from __future__ import annotations

import gc
from pathlib import Path

from engine.storage.directory import DirectoryStorage
from engine.values.chunks import RawBytes
from tests.helpers.open_files import open_files


def test_a_storage_that_nobody_has_any_more_holds_no_file_open(tmp_path: Path) -> None:
    storage = DirectoryStorage(str(tmp_path / "node"))
    storage.append("journal.jif", [RawBytes(b"1234")])
    assert open_files(tmp_path) == [str(tmp_path / "node" / "journal.jif")]
    del storage
    gc.collect()
    assert open_files(tmp_path) == []
