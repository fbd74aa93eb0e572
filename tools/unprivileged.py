"""Servers of one's own, for tests or a small cluster: in a temporary directory, as a user who is not root."""

import contextlib
import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NOBODY = "nobody"
"""Who runs a server when this is root, whom PostgreSQL refuses."""


@dataclass(frozen=True)
class Home:
    """Where a server keeps its sockets and files.

    Args:
        path: a directory that its user may write.
        options: for `subprocess`, so that it runs as that user.
    """

    path: Path
    options: dict[str, Any] = field(default_factory=dict)

    def give(self, path: Path) -> None:
        """Let the server's user own a directory too.

        Raises:
            RuntimeError: it could not reach it.
        """
        path.mkdir(parents=True, exist_ok=True)
        if not self.options:
            return
        os.chown(path, self.options["user"], self.options["group"])
        path.chmod(0o700)
        for above in path.resolve().parents:
            if not above.stat().st_mode & 0o001:
                raise RuntimeError(
                    f"this is root, so the server runs as {NOBODY}, who cannot get to {path} through {above}: start as "
                    "an ordinary user, choose another folder, or name a database that runs already in DATABASE_URL"
                )


@contextlib.contextmanager
def home(prefix: str) -> Iterator[Home]:
    """Give a directory that is gone at the end, right under the system's: the path of a socket has little room."""
    path = Path(tempfile.mkdtemp(prefix=prefix))
    options: dict[str, Any] = {}
    if os.geteuid() == 0:
        owner = pwd.getpwnam(NOBODY)
        os.chown(path, owner.pw_uid, owner.pw_gid)
        options = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
    try:
        yield Home(path, options)
    finally:
        shutil.rmtree(path, ignore_errors=True)
