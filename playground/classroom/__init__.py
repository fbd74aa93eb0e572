"""Classes: a teacher, a join code, students without accounts, and what the teacher sees of their work."""

from django.apps import AppConfig


class ClassroomConfig(AppConfig):
    """Classes are notified of work on exercises, and may hold it for a moment."""

    name = "playground.classroom"

    def ready(self) -> None:
        from playground.classroom import accounts  # noqa: PLC0415 - they need the models

        accounts.begin_hearing()
        accounts.listen()
