"""A heatmap as CSV: one line for each run, with every metric in its plain unit."""

from __future__ import annotations

import csv
import io

from playground.sweeping.refusals import failure
from playground.whatif.query import HeatmapQuery


def to_csv(query: HeatmapQuery) -> str:
    """Return all runs of the query's workload, with a header line.

    Columns: the swept parameters, seed, every metric (bytes, seconds or counts, by its name), digest,
    engine_version, error. Failed runs have empty metrics.
    """
    heatmap = query.heatmap
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    axes = [axis.parameter for axis in heatmap.axes]
    writer.writerow([*axes, "seed", *heatmap.metrics, "digest", "engine_version", "error"])
    for run in heatmap.cells:
        if run.workload == query.workload:
            metrics = run.metrics if run.metrics is not None else [""] * len(heatmap.metrics)
            writer.writerow(
                [
                    *run.values,
                    run.seed,
                    *metrics,
                    run.digest or "",
                    heatmap.engine_version,
                    failure(run.error),
                ]
            )
    return buffer.getvalue()
