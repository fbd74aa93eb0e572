"""Reading what a sweep consists of: the grid from JSON, the workloads from a file, a directory, a store, or ours."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from spark_jobs.errors import JobError
from sweeps.grid import Grid, Spec, make_spec
from workloads import store
from workloads.errors import WorkloadError
from workloads.workload import Workload, read_directory, read_file, shipped

T = TypeVar("T")

SHIPPED_NAME = "shipped"
"""What stands for the workloads that come with the project."""


def read_grid(path: Path) -> Grid:
    """Read a grid description.

    Raises:
        JobError: the file is missing or not a grid; the message names the field.
    """
    return _decoded(path, Grid)


def read_workloads(place: str | Path, names: tuple[str, ...] = ()) -> tuple[Workload, ...]:
    """Read a scenario file, every `*.json` of a directory, a store, or those that come with the project.

    Args:
        place: a path, a URI of a store, or `shipped`.
        names: take only these, in this order; none takes all in the order of names.

    Raises:
        JobError: there is nothing to read, a name is not there, or a file is not a scenario.
    """
    try:
        if str(place) == SHIPPED_NAME:
            found = shipped()
        elif "://" in str(place) or store.is_store(str(place)):
            return store.read(str(place), names)
        elif Path(place).is_dir():
            found = read_directory(Path(place))
        else:
            found = (read_file(Path(place)),)
    except WorkloadError as error:
        raise error.inside("", JobError) from None
    if not found:
        raise JobError("directory_empty", path=place)
    by_name = {each.name: each for each in found}
    missing = [name for name in names if name not in by_name]
    if missing:
        raise JobError("workload_not_in_place", place=place, name=missing[0], known=", ".join(by_name))
    return tuple(by_name[name] for name in names) or found


def read_spec(workloads: str | Path, grid: Path) -> Spec:
    """Read and check what a sweep consists of; the grid may name the workloads that it wants."""
    described = read_grid(grid)
    return make_spec(read_workloads(workloads, described.workloads), described)


def _decoded(path: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(_text(path), type=kind)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise JobError("file_malformed", path=path, why=error) from None


def _text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise JobError("file_missing", path=path) from None
    except IsADirectoryError:
        raise JobError("file_is_directory", path=path) from None
