"""LTI 1.3: exercises launched from a learning platform, and scores passed back."""

from django.apps import AppConfig


class LtiConfig(AppConfig):
    """Hears of exercises that are done, and passes scores on."""

    name = "playground.lti"
    verbose_name = "LTI"

    def ready(self) -> None:
        from playground.lti import launches  # noqa: PLC0415 - needs the models

        launches.listen()
