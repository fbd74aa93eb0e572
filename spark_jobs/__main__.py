"""Command line of the sweeps: `python -m spark_jobs sweep ...`, `analyse`, `heatmaps`, `restamp`, `cluster`, `pack`."""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from spark_jobs.cluster import WORKERS, running
from spark_jobs.engine_build import packed_sources
from spark_jobs.errors import JobError
from spark_jobs.findings import DEFAULT_CONSTRAINTS, DEFAULT_OBJECTIVE, asked, read_axes, write_findings
from spark_jobs.restamp import SAMPLE, restamp
from spark_jobs.session import LOCAL, start_session
from spark_jobs.shipped import DESCRIPTIONS, PUBLISHED, make_heatmaps
from spark_jobs.sweep import sweep
from sweeps.errors import SweepError

DEFAULT_OUT = Path("var/sweeps")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        exit status: 0 all went well, 1 some cells failed (their rows have the errors), 2 the sweep was refused.
    """
    options = _parser().parse_args(arguments)
    # What py4j logs when Spark is interrupted helps only its own developers.
    logging.disable(logging.CRITICAL)
    try:
        failed = COMMANDS[options.command](options)
    except SweepError as error:
        print(f"spark_jobs: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on where this one stopped", file=sys.stderr)
        return 130
    return 1 if failed else 0


def _sweep(options: argparse.Namespace) -> int:
    return sweep(
        options.workloads,
        options.grid,
        options.out,
        options.master,
        _print,
        plan_only=options.plan,
        progress=options.progress,
    )


def _heatmaps(options: argparse.Namespace) -> int:
    return make_heatmaps(options.out, options.published, options.master, _print, options.descriptions)


def _restamp(options: argparse.Namespace) -> int:
    restamp(options.published, options.sample, _print)
    return 0


def _analyse(options: argparse.Namespace) -> int:
    question = asked(options.constraint, options.minimise)
    read_axes(options.table)  # a wrong path is refused before Spark takes its time to start
    out = options.out or options.table.rpartition("/")[0] or "."
    write_findings(start_session(options.master), options.table, out, question, _print)
    return 0


def _cluster(options: argparse.Namespace) -> int:
    """Run a cluster until the terminal interrupts it; a worker that ends is started anew, a master ends the cluster."""
    with running(options.folder, options.workers, options.cores, port=options.port) as cluster:
        _print(f"{cluster.url} with {len(cluster.workers)} workers; logs in {options.folder}; Ctrl-C ends it")
        with suppress(KeyboardInterrupt):
            ends = time.monotonic() + options.seconds
            while time.monotonic() < ends:
                if not cluster.master.alive:
                    raise JobError("master_ended", log=cluster.master.log)
                for name in cluster.replace_dead_workers():
                    _print(f"{name} ended and was started anew; the cells that it ran are run again")
                time.sleep(0.5)
    return 0


def _pack(options: argparse.Namespace) -> int:
    options.file.write_bytes(packed_sources())
    _print(f"{options.file}: engine, workloads and spark_jobs, for --py-files")
    return 0


COMMANDS = {
    "sweep": _sweep,
    "analyse": _analyse,
    "heatmaps": _heatmaps,
    "restamp": _restamp,
    "cluster": _cluster,
    "pack": _pack,
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m spark_jobs", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("sweep", help="run one sweep and write its table")
    one.add_argument(
        "--workloads",
        required=True,
        help="a scenario (JSON), a directory of them, a store (path or URI), or `shipped`",
    )
    one.add_argument("--grid", type=Path, required=True, help="what to vary (JSON)")
    one.add_argument(
        "--out", required=True, help="directory or URI to write to; known cells are taken from it"
    )
    one.add_argument("--master", default=LOCAL, help=f"Spark master (default: {LOCAL})")
    one.add_argument("--plan", action="store_true", help="only say how many cells there are to run")
    one.add_argument("--progress", type=Path, help="a file that says how far the sweep is, as JSON")
    shipped = commands.add_parser("heatmaps", help="make the heatmaps that come with the project")
    shipped.add_argument(
        "--descriptions", type=Path, default=DESCRIPTIONS, help="folders that each say what to sweep"
    )
    shipped.add_argument("--out", type=Path, default=DEFAULT_OUT, help="where the runs are kept")
    shipped.add_argument("--published", type=Path, default=PUBLISHED, help="where the page reads them")
    shipped.add_argument("--master", default=LOCAL, help=f"Spark master (default: {LOCAL})")
    again = commands.add_parser(
        "restamp",
        help="after a change that moves no result: run a sample of the heatmaps again, stamp what is equal",
    )
    again.add_argument("--published", type=Path, default=PUBLISHED, help="where the page reads them")
    again.add_argument("--sample", type=int, default=SAMPLE, help="cells of each (default: %(default)s)")
    found = commands.add_parser(
        "analyse", help="find cliffs, Pareto front and best settings in a sweep's table"
    )
    found.add_argument("--table", required=True, help="the Parquet table that a sweep wrote (path or URI)")
    found.add_argument("--out", help="directory or URI to write to (default: beside the table)")
    found.add_argument(
        "--constraint",
        action="append",
        default=[],
        help=f"what the best setting keeps, such as {DEFAULT_CONSTRAINTS[0]!r}; may be repeated "
        f"(default: {' and '.join(DEFAULT_CONSTRAINTS)})",
    )
    found.add_argument(
        "--minimise", default=DEFAULT_OBJECTIVE, help="of what it has least (default: %(default)s)"
    )
    found.add_argument("--master", default=LOCAL, help=f"Spark master (default: {LOCAL})")
    cluster = commands.add_parser("cluster", help="start a master and workers on this machine")
    cluster.add_argument("--folder", type=Path, default=Path("var/cluster"), help="logs and scratch files")
    cluster.add_argument("--workers", type=int, default=WORKERS, help="default: %(default)s")
    cluster.add_argument("--cores", type=int, default=1, help="of each worker (default: %(default)s)")
    cluster.add_argument(
        "--port", type=int, default=7077, help="of the master; 0 for a free one (default: %(default)s)"
    )
    cluster.add_argument("--seconds", type=float, default=float("inf"), help="end by itself after so long")
    pack = commands.add_parser("pack", help="write the sources that workers import, for --py-files")
    pack.add_argument("file", type=Path)
    return parser


def _print(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
