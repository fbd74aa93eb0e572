"""What a command of the sweeps refuses, as a code with parameters."""

from __future__ import annotations

from spark_jobs.refusals import ENGLISH
from sweeps.errors import SweepError
from workloads.errors import WorkloadError


class JobError(SweepError):
    """A command cannot be done as given.

    Its code is a key of `spark_jobs.refusals.ENGLISH`, or one of a sweep, of a workload or of the engine.
    """

    sentences = {**WorkloadError.sentences, **SweepError.sentences, **ENGLISH}
