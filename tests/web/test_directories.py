"""Session directories come and go with their process."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.storage.directory import DirectoryStorage
from engine.values.chunks import RawBytes
from playground.hosting.session_files import ProcessDirectory, SessionFiles, sweep

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "sessions"


def run_elsewhere(root: Path, ending: str) -> None:
    """Let another process make a session's directory, and end in some way."""
    program = f"""
import os, pathlib
from playground.hosting.session_files import ProcessDirectory
directory = ProcessDirectory(pathlib.Path({str(root)!r}))
(directory.fresh("one") / "file").write_text("x")
{ending}
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False)


def test_a_session_gets_an_empty_directory(root: Path) -> None:
    directory = ProcessDirectory(root)
    (directory.fresh("one") / "file").write_text("x")
    assert list(directory.fresh("one").iterdir()) == []
    directory.forget("one")
    assert not directory.of("one").exists()
    directory.remove()
    assert list(root.iterdir()) == []


def test_a_living_process_keeps_its_directory(root: Path) -> None:
    directory = ProcessDirectory(root)
    directory.fresh("one")
    assert sweep(root) == []
    assert directory.of("one").is_dir()
    directory.remove()


def test_a_killed_process_is_cleaned_up_after(root: Path) -> None:
    run_elsewhere(root, "os.kill(os.getpid(), 9)")
    assert len(list(root.glob("process-*/one/file"))) == 1
    ProcessDirectory(root).remove()
    assert list(root.iterdir()) == []


def test_a_process_that_ends_removes_its_directory(root: Path) -> None:
    run_elsewhere(root, "")
    assert list(root.iterdir()) == []


def test_a_worker_that_outlives_its_server_does_not_make_the_directory_again(root: Path) -> None:
    directory = ProcessDirectory(root)
    of_a_worker = SessionFiles(directory.path)
    directory.remove()
    with pytest.raises(FileNotFoundError):
        of_a_worker.fresh("one")
    assert list(root.iterdir()) == []


def test_a_session_that_outlives_its_server_does_not_make_the_directory_again(root: Path) -> None:
    directory = ProcessDirectory(root)
    storage = DirectoryStorage(str(directory.fresh("one")), fsync=False)
    storage.append("queues/before", [RawBytes(b"x")])
    storage.fsync("queues/before")
    directory.remove()
    for path in ("queues/after", "store/after"):
        with pytest.raises(FileNotFoundError):
            storage.append(path, [RawBytes(b"x")])
    assert list(root.iterdir()) == []


def test_a_late_thread_of_a_server_that_ends_does_not_make_the_directory_again(root: Path) -> None:
    directory = ProcessDirectory(root)
    directory.remove()
    with pytest.raises(FileNotFoundError):
        directory.fresh("one.1.0")
    assert list(root.iterdir()) == []


def test_a_directory_into_which_somebody_still_writes_is_removed_when_they_have_ended(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = ProcessDirectory(root)
    directory.fresh("one")
    remove, attempts = shutil.rmtree, []

    def while_somebody_writes(path: Path, *, ignore_errors: bool) -> None:
        attempts.append(path)
        if len(attempts) > 2:
            remove(path, ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", while_somebody_writes)
    directory.remove()
    assert list(root.iterdir()) == []
    assert attempts == [directory.path] * 3


def test_a_directory_that_cannot_be_removed_is_left_to_the_next_process(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = ProcessDirectory(root)
    with monkeypatch.context() as stuck:
        stuck.setattr(shutil, "rmtree", lambda path, *, ignore_errors: None)
        stuck.setattr("playground.hosting.session_files.AGAIN_S", 0.0)
        directory.remove()
        assert {path.suffix for path in root.iterdir()} == {"", ".lock"}
    assert sweep(root) == [directory.path]
    assert list(root.iterdir()) == []


def test_files_that_somebody_deleted_can_be_made_again(root: Path) -> None:
    directory = ProcessDirectory(root)
    shutil.rmtree(directory.path)
    assert directory.fresh("one").is_dir()
    shutil.rmtree(root)
    assert directory.fresh("one").is_dir()
    directory.remove()
