"""A visitor's own workload over a small grid: what may be asked, the record of it, and the processes that run it."""
