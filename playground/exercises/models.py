"""What is kept of a learner: nothing about the person, only a code's trace and the work."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from playground.models import Session


class Learner(models.Model):
    """Somebody who works on exercises. The personal code brings the work back on another browser."""

    code_trace = models.CharField(max_length=64, unique=True, help_text="keyed hash of the personal code")
    created = models.DateTimeField(auto_now_add=True)
    last_seen = models.DateTimeField(auto_now_add=True, db_index=True)
    leaving_at = models.DateTimeField(
        null=True, db_index=True, help_text="when everything of theirs was deleted"
    )
    group = models.CharField(
        max_length=32,
        blank=True,
        db_index=True,
        help_text="the class, or trace of the address where it began",
    )

    class Meta:
        ordering = ("-created",)

    def __str__(self) -> str:
        return f"learner {self.pk}"


class Made(models.Model):
    """An exercise that a teacher made: its content has the form of the files. A row never changes."""

    slug = models.CharField(max_length=60, unique=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="made")
    content = models.JSONField()
    created = models.DateTimeField()

    class Meta:
        ordering = ("-created",)

    def __str__(self) -> str:
        return self.slug


class Work(models.Model):
    """One learner's work on one exercise."""

    learner = models.ForeignKey(Learner, on_delete=models.CASCADE, related_name="works")
    exercise = models.CharField(max_length=60)
    session = models.ForeignKey(Session, null=True, on_delete=models.SET_NULL, related_name="+")
    begun = models.DateTimeField(auto_now_add=True)
    touched = models.DateTimeField(auto_now_add=True)
    done_at = models.DateTimeField(null=True)
    attempts = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    wrong = models.BooleanField(default=False, help_text="the last answer was wrong")
    right_at = models.DateTimeField(null=True, help_text="the last right answer or step")
    right_first = models.BooleanField(
        default=False, help_text="done without a wrong answer, and without the solution"
    )
    reviews = models.PositiveSmallIntegerField(
        default=0, help_text="right answers in a row, each after a rest"
    )
    variant = models.PositiveIntegerField(default=0, help_text="seed of the numbers; 0 as usual")
    earlier = models.PositiveIntegerField(default=0, help_text="answers before one began again the last time")
    hints = models.PositiveSmallIntegerField(default=0)
    solution_shown = models.BooleanField(default=False)
    steps = models.JSONField(default=list, help_text="right placements of a 'be the broker' so far")
    locked = models.BooleanField(default=False, help_text="a prediction is given, the run goes on")

    statement_sent = models.BooleanField(default=False, help_text="an xAPI store was sent that it is done")

    class Meta:
        ordering = ("learner", "begun")
        constraints = [
            models.UniqueConstraint(fields=["learner", "exercise"], name="one_work_for_each_exercise")
        ]

    def __str__(self) -> str:
        return f"{self.learner_id} on {self.exercise}"


class Attempt(models.Model):
    """One answer and its grading."""

    work = models.ForeignKey(Work, on_delete=models.CASCADE, related_name="answers")
    number = models.PositiveIntegerField()
    at = models.DateTimeField(auto_now_add=True)
    passed = models.BooleanField()
    tally = models.CharField(max_length=255)
    verdict = models.JSONField()
    why = models.CharField(
        max_length=200,
        blank=True,
        help_text="the learner's own reason for a wrong answer, shown to nobody else",
    )

    class Meta:
        ordering = ("work", "number")
        constraints = [models.UniqueConstraint(fields=["work", "number"], name="one_answer_for_each_number")]

    def __str__(self) -> str:
        return f"{self.work_id}#{self.number}"
