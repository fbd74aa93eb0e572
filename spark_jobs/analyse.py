"""Findings in a sweep's table, by DataFrames: aggregates, sensitivity, cliffs, Pareto front, the best setting.

Each function takes and returns DataFrames and does nothing until they are written. `long` is the form that most of
them begin with: one row for each place of the grid and metric, the median over the seeds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 - the usual name

from engine.counting.load import latency_p95_s, peak_ram_bytes
from engine.metrics import METRICS
from spark_jobs.errors import JobError

CLIFFS = 3
"""How many of the largest changes are listed for each workload and metric."""

RAM, LATENCY = peak_ram_bytes.name, latency_p95_s.name
"""What the Pareto front weighs against each other."""

CONSTRAINT = re.compile(r"\s*(?P<metric>\w+)\s*(?P<relation><=|>=)\s*(?P<bound>[0-9.eE+-]+)\s*")


class Axis(NamedTuple):
    """A swept parameter and its values in the order of the grid."""

    name: str
    values: tuple[Any, ...]


class Constraint(NamedTuple):
    """A bound that the best setting must keep."""

    metric: str
    relation: str
    bound: float


def parse_constraint(text: str) -> Constraint:
    """Return a constraint such as `peak_ram_share<=0.6`.

    Raises:
        JobError: it is not one, or names no metric.
    """
    found = CONSTRAINT.fullmatch(text)
    if found is None:
        raise JobError("no_constraint", text=text)
    try:
        bound = float(found["bound"])
    except ValueError:
        raise JobError("bound_no_number", text=text, bound=found["bound"]) from None
    return Constraint(check_metric(found["metric"]), found["relation"], bound)


def check_metric(name: str) -> str:
    """Return the name of a metric.

    Raises:
        JobError: there is none of that name.
    """
    if name not in METRICS:
        raise JobError("no_metric", name=name, known=", ".join(METRICS))
    return name


def long(table: DataFrame, axes: Sequence[Axis]) -> DataFrame:
    """Return workload, the axes, metric, value and spread, one row for each place and metric.

    Failed runs and metrics without a value are left out. `spread` is the distance of the seeds' extremes.
    """
    places = ["workload", *(axis.name for axis in axes)]
    values = [F.col(name).cast("double").alias(name) for name in METRICS]
    melted = (
        table.where("error is null")
        .select(*places, *values)
        .unpivot([F.col(name) for name in places], [F.col(name) for name in METRICS], "metric", "value")
    )
    return (
        melted.where("value is not null")
        .groupBy(*places, "metric")
        .agg(F.median("value").alias("value"), (F.max("value") - F.min("value")).alias("spread"))
    )


def aggregates(places: DataFrame) -> DataFrame:
    """Return least, median, mean and greatest value of each workload's metrics, and how far the seeds lie apart."""
    return places.groupBy("workload", "metric").agg(
        F.count("*").alias("places"),
        F.min("value").alias("least"),
        F.median("value").alias("median"),
        F.avg("value").alias("mean"),
        F.max("value").alias("greatest"),
        F.max("spread").alias("widest_spread"),
    )


def sensitivity(places: DataFrame, axes: Sequence[Axis]) -> DataFrame:
    """Return how much each parameter moves each metric, all else equal.

    `mean_range` is the metric's range along the parameter, averaged over the other axes; `share` is that part of the
    metric's range over the whole workload, 0 to 1. Metrics that never change are left out.
    """
    whole = (
        places.groupBy("workload", "metric")
        .agg((F.max("value") - F.min("value")).alias("whole"))
        .where("whole > 0")
    )
    along = []
    for axis in axes:
        others = [other.name for other in axes if other is not axis]
        ranges = places.groupBy("workload", "metric", *others).agg(
            (F.max("value") - F.min("value")).alias("range")
        )
        along.append(
            ranges.groupBy("workload", "metric")
            .agg(F.avg("range").alias("mean_range"))
            .withColumn("parameter", F.lit(axis.name))
        )
    return (
        _union(along)
        .join(whole, ["workload", "metric"])
        .select(
            "workload",
            "metric",
            "parameter",
            "mean_range",
            (F.col("mean_range") / F.col("whole")).alias("share"),
        )
    )


def cliffs(places: DataFrame, axes: Sequence[Axis]) -> DataFrame:
    """Return the largest changes between neighbours on the grid, CLIFFS for each workload and metric.

    Of a step of one parameter, such as from 0.3 to 0.35, only the place counts where it changes most.
    Columns: rank (1 is the largest), parameter, `below` and `above` (its two values as text), `at` (the other axes'
    values as JSON), before, after, change and share (of the metric's range over the workload).
    """
    steps = []
    for axis in axes:
        others = [other.name for other in axes if other is not axis]
        in_order = Window.partitionBy("workload", "metric", *others).orderBy(_position(axis))
        steps.append(
            places.select(
                "workload",
                "metric",
                F.lit(axis.name).alias("parameter"),
                F.lag(F.col(axis.name).cast("string")).over(in_order).alias("below"),
                F.col(axis.name).cast("string").alias("above"),
                F.to_json(F.struct(*others)).alias("at") if others else F.lit("{}").alias("at"),
                F.lag("value").over(in_order).alias("before"),
                F.col("value").alias("after"),
                (_position(axis) - F.lag(_position(axis)).over(in_order)).alias("distance"),
            )
        )
    every = (
        _union(steps)
        .where("distance = 1")  # a failed run between two cells makes them no neighbours
        .withColumn("change", F.col("after") - F.col("before"))
        .where("change <> 0")
    )
    whole = places.groupBy("workload", "metric").agg((F.max("value") - F.min("value")).alias("whole"))
    largest_first = (F.abs("change").desc(), "parameter", "below", "at")
    of_step = Window.partitionBy("workload", "metric", "parameter", "below", "above").orderBy(*largest_first)
    largest = Window.partitionBy("workload", "metric").orderBy(*largest_first)
    return (
        every.withColumn("of_step", F.row_number().over(of_step))
        .where("of_step = 1")
        .withColumn("rank", F.row_number().over(largest))
        .where(F.col("rank") <= CLIFFS)
        .join(whole, ["workload", "metric"])
        .withColumn("share", F.abs("change") / F.col("whole"))
        .drop("whole", "distance", "of_step")
    )


def pareto(table: DataFrame, axes: Sequence[Axis], cost: str = RAM, wait: str = LATENCY) -> DataFrame:
    """Return the runs that no other run of their workload beats in both metrics, the smaller being better.

    Of runs that are equal in both, the first by cell id stands for all.
    """
    good = table.where(F.col("error").isNull() & F.col(cost).isNotNull() & F.col(wait).isNotNull())
    by_cost = (
        Window.partitionBy("workload")
        .orderBy(cost, wait, "cell_id")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    return (
        good.withColumn("shortest_so_far", F.min(wait).over(by_cost))
        .where(F.col("shortest_so_far").isNull() | (F.col(wait) < F.col("shortest_so_far")))
        .select("workload", "cell_id", *(axis.name for axis in axes), cost, wait)
    )


def best(
    table: DataFrame, axes: Sequence[Axis], constraints: Sequence[Constraint], objective: str
) -> DataFrame:
    """Return for each workload the run that keeps all constraints and has the least of the objective.

    A metric without a value breaks no constraint. A workload in which no run keeps them has no row.
    """
    kept = table.where(F.col("error").isNull() & F.col(objective).isNotNull())
    for each in constraints:
        value = F.col(each.metric)
        holds = value <= each.bound if each.relation == "<=" else value >= each.bound
        kept = kept.where(value.isNull() | holds)
    first = Window.partitionBy("workload").orderBy(objective, RAM, "cell_id")
    bounds = [each.metric for each in constraints]
    return (
        kept.withColumn("place", F.row_number().over(first))
        .where("place = 1")
        .select(
            "workload", "cell_id", *(axis.name for axis in axes), *dict.fromkeys([objective, RAM, *bounds])
        )
    )


def _position(axis: Axis) -> Column:
    """Return where a row stands on an axis: values that are no numbers have no order of their own."""
    positions = [
        each
        for place, value in enumerate(axis.values)
        for each in (F.lit(value).cast("string"), F.lit(place))
    ]
    return F.create_map(*positions)[F.col(axis.name).cast("string")]


def _union(frames: Sequence[DataFrame]) -> DataFrame:
    return reduce(DataFrame.unionByName, frames)
