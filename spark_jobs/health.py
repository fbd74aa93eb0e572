"""Whether a standalone cluster still answers, as its driver sees it: Spark itself waits without a word."""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from typing import Final

from pyspark.sql import SparkSession

from spark_jobs.errors import JobError

PATIENCE_S: Final = 6.0
"""Seconds of silence before it is said."""
GIVE_UP_S: Final = 120.0
"""Seconds without any executor, and without a master that could give one, before the sweep ends."""


class ClusterHealth:
    """When the master and the executors of a session were last there.

    Args:
        session: one that runs; only `spark://` masters are asked, as others have supervisors of their own.
    """

    def __init__(self, session: SparkSession) -> None:
        self._context = session.sparkContext
        master = self._context.master or ""
        found = (
            re.findall(r"([^/,:]+):(\d+)", master.removeprefix("spark://")) if "spark://" in master else []
        )
        self._masters = [(host, int(port)) for host, port in found]
        self._silent_since: dict[str, float] = {}
        self._told: set[str] = set()

    @property
    def silent(self) -> list[str]:
        """What was said to be silent, of `master` and `executors`."""
        return sorted(self._told)

    def complaint(self, now_s: float) -> str | None:
        """Return a sentence when something has become silent or answers again; None if there is nothing new.

        Args:
            now_s: monotonic seconds.

        Raises:
            JobError: neither master nor executors have been there for two minutes.
        """
        if not self._masters:
            return None
        answers = {"master": self._master_answers(), "executors": self._executors() > 0}
        for name, there in answers.items():
            if there:
                self._silent_since.pop(name, None)
            else:
                self._silent_since.setdefault(name, now_s)
        silent_s = {name: now_s - since for name, since in self._silent_since.items()}
        if len(silent_s) == len(answers) and min(silent_s.values()) > GIVE_UP_S:
            raise JobError("cluster_lost", master=self._context.master)
        for name, sentence in (
            (
                "master",
                f"{self._context.master} no longer answers; the tasks that run go on. Start it anew if it died",
            ),
            (
                "executors",
                "no executor is left; the sweep waits until the cluster gives it one. Ctrl-C ends it",
            ),
        ):
            if silent_s.get(name, 0) >= PATIENCE_S and name not in self._told:
                self._told.add(name)
                return sentence
            if answers[name] and name in self._told:
                self._told.remove(name)
                return f"the {name} answer again" if name == "executors" else f"the {name} answers again"
        return None

    def _master_answers(self) -> bool:
        for address in self._masters:
            with suppress(OSError), socket.create_connection(address, timeout=1):
                return True
        return False

    def _executors(self) -> int:
        infos = self._context._jsc.sc().statusTracker().getExecutorInfos()  # noqa: SLF001 - PySpark has no other way
        return len(infos) - 1  # the driver is one of them
