"""Workloads as data: those that come with the project, imports of people's own logs, and the store that sweeps read.

A workload is a scenario under a name. This package uses the engine's scenarios, and neither the web app nor Spark:
the app writes into the store, the sweeps read from it. Only `store` needs pyarrow.
"""
