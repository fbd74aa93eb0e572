"""A small standalone cluster on this machine: a master and two workers, each a process of its own.

It is what `--master spark://...` is tried on. A real cluster differs in addresses and numbers only.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyspark

from spark_jobs.errors import JobError
from spark_jobs.jvm import jvm_options

HOST = "127.0.0.1"
WORKERS = 2
READY_S = 90.0
DAEMON = {
    "SPARK_DAEMON_MEMORY": "192m",
    "SPARK_LOCAL_IP": HOST,
    "SPARK_NO_DAEMONIZE": "1",
}
LISTENS = "Starting Spark master at (spark://[^ \n]+)"
REGISTERED = "(Successfully registered with master)"
SCRIPT = Path(pyspark.__file__).resolve().parent / "bin" / "spark-class"


class Process:
    """A process of the cluster in a process group of its own, with its log."""

    def __init__(self, name: str, folder: Path, *arguments: str) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        with self.log.open("wb") as log:
            self._popen = subprocess.Popen(  # noqa: S603 - Spark's own script with our arguments
                [str(SCRIPT), *arguments],
                cwd=folder,
                env={**environment, **DAEMON, "SPARK_DAEMON_JAVA_OPTS": jvm_options()},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._popen.poll() is None

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it and the executors that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self._popen.pid, how)
        try:
            self._popen.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._popen.pid, signal.SIGKILL)
            self._popen.wait(10)

    def wait_for(self, line: str) -> str:
        """Wait until its log has a line; return what is in the pattern's first group.

        Args:
            line: regular expression.

        Raises:
            JobError: it ended, or took too long; the message shows the end of its log.
        """
        until = time.monotonic() + READY_S
        while True:
            log = self.log.read_text(errors="replace")
            if found := re.search(line, log):
                return found[1]
            if not self.alive or time.monotonic() > until:
                raise JobError("cluster_not_started", name=self.name, log="\n".join(log.splitlines()[-5:]))
            time.sleep(0.1)


class Cluster:
    """A running cluster: its address and its processes.

    Args:
        url: of the master.
        master: its process.
        start_worker: called with a number from 1 on, starts that worker.
        workers: how many there are.
    """

    def __init__(
        self, url: str, master: Process, start_worker: Callable[[int], Process], workers: int
    ) -> None:
        self.url = url
        self.master = master
        self._start_worker = start_worker
        self.workers = [start_worker(number) for number in range(1, workers + 1)]

    def replace_dead_workers(self) -> list[str]:
        """Start each worker that ended anew; return their names."""
        dead = [place for place, worker in enumerate(self.workers) if not worker.alive]
        names = [self.workers[place].name for place in dead]
        for place in dead:
            self.workers[place].end(signal.SIGKILL)  # what it started may live on
            self.workers[place] = self._start_worker(place + 1)
        return names

    def end(self) -> None:
        """End all its processes."""
        for process in (*self.workers, self.master):
            process.end()


@contextmanager
def running(
    folder: Path, workers: int = WORKERS, cores: int = 1, memory_mb: int = 640, port: int = 0
) -> Iterator[Cluster]:
    """Start a cluster, and end it when the block is left.

    Args:
        folder: where logs and the workers' scratch files go.
        workers: how many, each a process.
        cores: of each worker.
        memory_mb: of each worker.
        port: of the master on the loopback address; 0 chooses a free one.

    Raises:
        JobError: a process did not start.
    """
    folder.mkdir(parents=True, exist_ok=True)
    place = ("--host", HOST, "--port", str(port), "--webui-port", "0")
    master = Process("master", folder, "org.apache.spark.deploy.master.Master", *place)
    cluster = None

    def start_worker(number: int) -> Process:
        scratch = folder / f"worker-{number}"
        size = ("--cores", str(cores), "--memory", f"{memory_mb}M", "--work-dir", str(scratch))
        here = ("--host", HOST, "--webui-port", "0")
        return Process(f"worker-{number}", folder, "org.apache.spark.deploy.worker.Worker", *here, *size, url)

    try:
        url = master.wait_for(LISTENS)
        cluster = Cluster(url, master, start_worker, workers)
        for worker in cluster.workers:
            worker.wait_for(REGISTERED)
        yield cluster
    finally:
        (cluster or master).end()
