"""Command line of the sweeps: `python -m spark_jobs sweep ...` and `python -m spark_jobs heatmaps`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from spark_jobs.errors import SweepError
from spark_jobs.shipped import PUBLISHED, make_heatmaps
from spark_jobs.sweep import sweep

LOCAL = "local[*]"
DEFAULT_OUT = Path("var/sweeps")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        exit status: 0 all went well, 1 some cells failed (their rows tell why), 2 the sweep was refused.
    """
    options = _parser().parse_args(arguments)
    try:
        if options.command == "sweep":
            failed = sweep(options.workloads, options.grid, options.out, options.master, _say)
        else:
            failed = make_heatmaps(options.out, options.published, options.master, _say)
    except SweepError as error:
        print(f"spark_jobs: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on where this one stopped", file=sys.stderr)
        return 130
    return 1 if failed else 0


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
    shipped = commands.add_parser("heatmaps", help="make the heatmaps that come with the project")
    shipped.add_argument("--out", type=Path, default=DEFAULT_OUT, help="where the runs are kept")
    shipped.add_argument("--published", type=Path, default=PUBLISHED, help="where the page reads them")
    shipped.add_argument("--master", default=LOCAL, help=f"Spark master (default: {LOCAL})")
    return parser


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
