"""Starting Spark: the right Python for the workers, little memory, no noise."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from pyspark.sql import SparkSession

import engine
from spark_jobs.engine_build import ROOT, packed_sources
from spark_jobs.errors import JobError
from spark_jobs.jvm import QUICK_START, jvm_options

LOCAL = "local[*]"
QUIET = ROOT / "spark_jobs" / "log4j2.properties"
EXECUTOR_MEMORY = "512m"
"""Of the JVM of each executor on a cluster; what the engine needs lies in the Python processes beside it."""


def is_local(master: str) -> bool:
    """Return whether Spark runs inside this process tree, on this machine's sources."""
    return master.startswith("local")


def start_session(master: str = LOCAL) -> SparkSession:
    """Start a Spark session, or return the one that runs.

    Args:
        master: `local[N]`, or the URL of a cluster, which gets `engine` and `spark_jobs` as a zip. Its machines
            need the packages of requirements.txt and pyarrow, and the Python that PYSPARK_PYTHON names.

    Raises:
        JobError: there is no Java to run Spark on, or the master cannot be reached.
    """
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        raise JobError("no_java")
    # Workers use another Python than this one unless this is set.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    if is_local(master) or "://127.0.0.1" in master:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if is_local(master):
        _put_on_path(ROOT)
        _put_on_path(Path(engine.__file__).resolve().parents[1])  # which may be compiled
    try:
        session = _builder(master).getOrCreate()
    except Exception as error:
        raise JobError("spark_not_started", master=master, why=error) from error
    session.sparkContext.setLogLevel("ERROR")
    if not is_local(master):
        session.sparkContext.addPyFile(str(_packed()))
        # The first job waits for the executors; only then can Spark count how many tasks can run at a time.
        session.sparkContext.parallelize([0], 1).count()
    return session


def end_session(session: SparkSession) -> None:
    """Stop Spark, also in the middle of a job, without its stack traces on the terminal."""
    context = session.sparkContext
    with suppress(Exception):  # the JVM may be gone already
        context.setLogLevel("OFF")
        context.cancelAllJobs()
    with suppress(Exception):
        session.stop()


def slots(session: SparkSession) -> int:
    """Return how many tasks can run at the same time."""
    return max(1, session.sparkContext.defaultParallelism)


def _builder(master: str) -> SparkSession.Builder:
    builder = (
        SparkSession.builder.master(_with_retries(master))
        .appName("waterline-sweep")
        .config(
            "spark.driver.extraJavaOptions", f"{jvm_options()} -Dlog4j2.configurationFile={QUIET.as_uri()}"
        )
        .config("spark.driver.memory", "512m")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", str(sys.stderr.isatty()).lower())
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "4")
        # A table of cells is small: to compile a query would take longer than to run it as it is.
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.python.worker.reuse", "true")
    )
    if not is_local(master):
        builder = (
            builder.config("spark.executor.memory", EXECUTOR_MEMORY)
            .config("spark.executor.extraJavaOptions", QUICK_START)
            .config("spark.scheduler.minRegisteredResourcesRatio", "1.0")
        )
    if is_local(master) or "://127.0.0.1" in master:
        # A machine whose own name does not resolve must not keep Spark from starting.
        builder = (
            builder.config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.executor.extraJavaOptions", jvm_options())
        )
    return builder


def _with_retries(master: str) -> str:
    """Let a local task whose worker was killed run again, as it would on a cluster."""
    if master.startswith("local[") and "," not in master:
        return f"{master[:-1]},4]"
    return master


def _put_on_path(directory: Path) -> None:
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if str(directory) not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([str(directory), *filter(None, paths)])


def _packed() -> Path:
    path = Path(tempfile.mkdtemp(prefix="waterline-")) / "waterline.zip"
    path.write_bytes(packed_sources())
    return path
