"""The app's entry in Django's registry."""

from django.apps import AppConfig


class PlaygroundConfig(AppConfig):
    """Nothing happens at start-up: hosts and directories come to life with the first session."""

    name = "playground"
    verbose_name = "Waterline"
