"""The app's entry in Django's registry."""

from django.apps import AppConfig


class LtiConfig(AppConfig):
    """Hears of exercises that are done, and passes scores on."""

    name = "playground.lti"
    label = "lti"
    verbose_name = "LTI"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from playground.lti import scores  # noqa: PLC0415 - needs the models

        scores.listen()
