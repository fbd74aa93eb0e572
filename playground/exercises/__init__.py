"""Exercises: data that the engine grades, and the pages on which people work on them."""

from django.apps import AppConfig


class ExercisesConfig(AppConfig):
    """Exercises and the work on them."""

    name = "playground.exercises"

    def ready(self) -> None:
        """Say which sessions wait for an answer, which are of use before, and what learners take."""
        from playground.exercises import builder, catalog, learners  # noqa: PLC0415 - as below
        from playground.exercises.learners import holds_us, used, waits  # noqa: PLC0415 - as above
        from playground.records import kept_bytes, kept_runs, paused_sessions  # noqa: PLC0415 - needs the models

        paused_sessions.register_wait(holds_us)
        paused_sessions.register(waits)
        kept_bytes.register(learners.bytes_of_learners)
        kept_runs.register_use(used)
        catalog.register(builder.content_of)
