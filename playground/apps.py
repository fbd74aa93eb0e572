"""The app's entry in Django's registry."""

from django.apps import AppConfig


class PlaygroundConfig(AppConfig):
    """Hosts and directories come to life with the first session."""

    name = "playground"
    verbose_name = "Waterline"

    def ready(self) -> None:
        """Say which sessions wait for an answer, and of which no copy may be made."""
        from playground.records import paused_sessions  # noqa: PLC0415 - needs the models

        paused_sessions.register_wait(paused_sessions.holds_us)
        paused_sessions.register(paused_sessions.waits, links=False)
