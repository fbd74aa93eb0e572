"""The program that forks processes for jobs: it loads everything that a job may need once.

`python -m playground.jobs.forks FD` is how the server starts it (`playground.hosting.workers.pool`).
"""

from __future__ import annotations

from playground.hosting.workers import forks
from playground.jobs import process

if __name__ == "__main__":
    process.load()
    forks.main(process.serve)
