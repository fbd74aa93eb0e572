"""What is kept of a launch: a learner's number on the platform, and where its score goes. No name, no address."""

from __future__ import annotations

from django.db import models
from lti_tool.models import LtiRegistration

from playground.exercises.models import Learner


class LogIn(models.Model):
    """A log-in under way, until the launch to which it leads. Of its secrets only traces are kept."""

    registration = models.ForeignKey(LtiRegistration, on_delete=models.CASCADE, related_name="+")
    state = models.CharField(max_length=64, unique=True)
    nonce = models.CharField(max_length=64)
    browser = models.CharField(max_length=64, help_text="of the secret that the browser shows which began")
    at = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"log-in to {self.registration_id} of {self.at:%F %T}"


class Seat(models.Model):
    """A person of a platform, who is a learner here."""

    registration = models.ForeignKey(LtiRegistration, on_delete=models.CASCADE, related_name="+")
    subject = models.CharField(max_length=255, help_text="how the platform calls the person: an opaque text")
    learner = models.ForeignKey(Learner, on_delete=models.CASCADE, related_name="seats")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["registration", "subject"], name="one_seat_for_each_person")
        ]

    def __str__(self) -> str:
        return f"learner {self.learner_id} of {self.registration_id}"


class Placement(models.Model):
    """An exercise or unit in somebody's course, with the line of the gradebook that gets the score."""

    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="placements")
    target = models.CharField(max_length=60, help_text="an exercise or a unit")
    line_item = models.URLField(max_length=1000)
    readable = models.BooleanField(
        default=False, help_text="the platform returns what stands in the gradebook when it is asked"
    )
    sent = models.FloatField(null=True, help_text="the score that the platform has taken")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["seat", "line_item"], name="one_placement_for_each_line")
        ]

    def __str__(self) -> str:
        return f"{self.target}: {self.sent}"
