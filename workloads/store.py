"""The store of workloads: a Parquet dataset in partitions, on any file system that Arrow and Spark read.

Layout, version 1: `<URI>/format=1/source=<source>/<workload_id>.parquet`, one row in each file. What is there is
never written again, so an export adds only what is new and two exports at once do no harm.

Columns: see `SCHEMA`. `scenario` is the complete scenario as JSON text (version 1 of scenarios); `messages` is about
how many it publishes. `source` is the partition.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Final

import msgspec
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyarrow import fs

from workloads.errors import WorkloadError
from workloads.workload import SOURCES, Workload, checked, messages

FORMAT: Final = 1

SCHEMA: Final = pa.schema(
    [
        pa.field("workload_id", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("title", pa.string(), nullable=False),
        pa.field("profile", pa.string(), nullable=False),
        pa.field("engine_version", pa.string(), nullable=False),
        pa.field("commands", pa.int64(), nullable=False),
        pa.field("messages", pa.int64(), nullable=False),
        pa.field("until_us", pa.int64(), nullable=False),
        pa.field("scenario", pa.string(), nullable=False),
        pa.field("exported_on", pa.date32(), nullable=False),
    ],
    metadata={"waterline.format": str(FORMAT)},
)


def locate(uri: str) -> tuple[fs.FileSystem, str]:
    """Return the file system and the path inside it for a local path or a URI.

    Raises:
        WorkloadError: the kind of URI is not known here.
    """
    if "://" not in uri and not uri.startswith("file:"):
        return fs.LocalFileSystem(), uri.rstrip("/") or "/"
    try:
        filesystem, path = fs.FileSystem.from_uri(uri)
    except (pa.ArrowInvalid, OSError) as error:
        raise WorkloadError("store_cannot_open", uri=uri, why=error) from None
    return filesystem, path.rstrip("/") or "/"


def is_store(uri: str) -> bool:
    """Return whether there is a store of this version."""
    filesystem, root = locate(uri)
    return filesystem.get_file_info(f"{root}/format={FORMAT}").type == fs.FileType.Directory


def known_ids(uri: str) -> set[str]:
    """Return the ids of the workloads that are in the store already; none if there is no store."""
    filesystem, root = locate(uri)
    selector = fs.FileSelector(f"{root}/format={FORMAT}", allow_not_found=True, recursive=True)
    return {
        info.base_name.removesuffix(".parquet")
        for info in filesystem.get_file_info(selector)
        if info.base_name.endswith(".parquet")
    }


def add(uri: str, workloads: Iterable[Workload], engine_version: str, today: dt.date) -> int:
    """Write those of the workloads that are not in the store yet; return how many.

    Raises:
        WorkloadError: the place cannot be written to.
    """
    filesystem, root = locate(uri)
    known = known_ids(uri)
    written = 0
    for workload in workloads:
        if workload.workload_id in known:
            continue
        known.add(workload.workload_id)
        folder = f"{root}/format={FORMAT}/source={workload.source}"
        try:
            filesystem.create_dir(folder, recursive=True)
            table = pa.Table.from_pylist([_row(workload, engine_version, today)], schema=SCHEMA)
            # Under another name first: a reader never finds half a file.
            unfinished = f"{folder}/.{workload.workload_id}.unfinished"
            pq.write_table(table, unfinished, filesystem=filesystem, compression="zstd")
            filesystem.move(unfinished, f"{folder}/{workload.workload_id}.parquet")
        except OSError as error:
            raise WorkloadError("store_cannot_write", uri=uri, why=error) from None
        written += 1
    return written


def read(uri: str, names: Iterable[str] = ()) -> tuple[Workload, ...]:
    """Return the store's workloads in the order of names, or only those named, in the order given.

    Raises:
        WorkloadError: there is no store, a name is not in it, or a scenario is not one for this engine.
    """
    if not is_store(uri):
        raise WorkloadError("no_store", uri=uri, version=FORMAT)
    filesystem, root = locate(uri)
    partitioning = ds.partitioning(
        pa.schema([("format", pa.int32()), ("source", pa.string())]), flavor="hive"
    )
    dataset = ds.dataset(root, filesystem=filesystem, format="parquet", partitioning=partitioning)
    found = {row["name"]: row for row in sorted(dataset.to_table().to_pylist(), key=_order)}
    missing = [name for name in names if name not in found]
    if missing:
        raise WorkloadError("no_workload", name=missing[0], known=", ".join(found))
    chosen = [found[name] for name in names] or list(found.values())
    return tuple(checked(row["name"], msgspec.json.decode(row["scenario"]), row["source"]) for row in chosen)


def _order(row: dict[str, object]) -> tuple[str, int, str]:
    """Order by name; of one name the shipped one counts, then the newest."""
    return str(row["name"]), -SOURCES.index(row["source"]), str(row["exported_on"])


def _row(workload: Workload, engine_version: str, today: dt.date) -> dict[str, object]:
    scenario = workload.scenario
    return {
        "workload_id": workload.workload_id,
        "name": workload.name,
        "title": workload.title,
        "profile": scenario["profile"],
        "engine_version": engine_version,
        "commands": len(scenario["commands"]),
        "messages": messages(scenario),
        "until_us": scenario["until_us"],
        "scenario": msgspec.json.encode(scenario).decode(),
        "exported_on": today,
    }
