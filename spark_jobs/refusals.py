"""What the command line of the sweeps refuses, by code: the English sentence of each, with named places."""

from __future__ import annotations

from typing import Final

ENGLISH: Final[dict[str, str]] = {
    # --- files that are read ---
    "file_missing": "%(path)s does not exist; check the path",
    "file_is_directory": "%(path)s is a directory; name the file",
    "file_malformed": "%(path)s: %(why)s",
    "directory_empty": "%(path)s holds no *.json file; put a scenario there, or name a file",
    "workload_not_in_place": "no workload of %(place)s is called '%(name)s'; there are: %(known)s",
    # --- Spark ---
    "no_java": "Spark needs Java 17 or newer; `make heatmaps` brings one, or set JAVA_HOME",
    "spark_not_started": "Spark did not start on %(master)s: %(why)s",
    "spark_gave_up": "Spark gave up: %(why)s; the same command goes on from here",
    "master_ended": "the cluster's master ended, so its workers were ended too; its log is %(log)s",
    "cluster_lost": "%(master)s and all executors are gone; start the cluster, and the same command goes on from here",
    "cluster_not_started": "the cluster's %(name)s did not start:\n%(log)s",
    # --- tables and heatmaps ---
    "cells_missing": "%(count)s cells have no row; run the sweep again, it goes on where it stopped",
    "page_too_large": (
        "%(count)s cells are too many for the page (at most %(most)s); the Parquet table is written, take steps out "
        "of an axis for the page"
    ),
    "table_missing": "%(table)s does not exist; name the Parquet table that a sweep wrote",
    "no_parquet_table": "%(table)s is no Parquet table: %(why)s",
    "table_without_axes": (
        "%(table)s does not name its axes; give the table that a sweep wrote, not one of its cells"
    ),
    "no_constraint": "'%(text)s' is no constraint; write one such as 'peak_ram_share<=0.6'",
    "bound_no_number": "'%(text)s': %(bound)s is no number",
    "other_cells": "%(name)s has other cells than its description; compute it anew: make heatmaps",
    "metric_missing": "%(name)s lacks the metric %(metric)s; compute it anew: make heatmaps",
    "cell_differs": "%(name)s: cell %(cell)s differs now in %(metrics)s; compute it anew: make heatmaps",
}
