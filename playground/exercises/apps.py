"""The app's entry in Django's registry."""

from django.apps import AppConfig


class ExercisesConfig(AppConfig):
    """Exercises and the work on them."""

    name = "playground.exercises"
    label = "exercises"
    verbose_name = "Exercises"
    default_auto_field = "django.db.models.BigAutoField"
