"""What is kept of a class, and for how long."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from playground.exercises.models import Learner
from playground.models import Scenario


class AllStudents(models.Manager):
    """All rows, those as well that can only be brought back."""


class PresentClasses(models.Manager):
    """Classes that were not deleted."""

    def get_queryset(self) -> models.QuerySet:
        return super().get_queryset().filter(leaving_at=None)


class PresentStudents(models.Manager):
    """Students that were not deleted."""

    def get_queryset(self) -> models.QuerySet:
        return super().get_queryset().filter(learner__leaving_at=None)


class Classroom(models.Model):
    """A class of one teacher. Everything goes with it after `keep_until`."""

    public_id = models.CharField(max_length=32, unique=True)
    teacher = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="classes")
    name = models.CharField(max_length=80)
    join_code = models.CharField(max_length=16, unique=True)
    joining = models.BooleanField(default=True, help_text="whether new students may join")
    co_teachers = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="shared_classes")
    units = models.JSONField(
        default=list, help_text="slugs of the units and single exercises that are handed out"
    )
    created = models.DateTimeField(auto_now_add=True)
    keep_until = models.DateField(db_index=True)
    frozen = models.BooleanField(default=False)
    pushed = models.ForeignKey(Scenario, null=True, on_delete=models.SET_NULL, related_name="+")
    pushed_at = models.DateTimeField(null=True)
    pushed_by = models.CharField(max_length=150, blank=True, help_text="the teacher who pushed it")
    lesson_began = models.DateTimeField(default=timezone.now, help_text="what the next report begins with")
    lesson_ended = models.DateTimeField(
        null=True, help_text="when the lesson was ended, until there is another one"
    )
    blocked = models.JSONField(
        default=list, help_text="folded nicknames and browsers that may not join again"
    )
    leaving_at = models.DateTimeField(null=True, db_index=True, help_text="when it was deleted")

    objects = PresentClasses()
    everyone = AllStudents()

    class Meta:
        ordering = ("-created",)

    def __str__(self) -> str:
        return f"{self.name} ({self.public_id})"


class Student(models.Model):
    """A nickname in a class; the work belongs to the learner."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="students")
    learner = models.OneToOneField(Learner, on_delete=models.CASCADE, related_name="student")
    nickname = models.CharField(max_length=24)
    folded = models.CharField(max_length=48, help_text="the nickname as it is compared")
    joined = models.DateTimeField(auto_now_add=True)
    visitor = models.CharField(
        max_length=32,
        blank=True,
        help_text="the browser that was seen last: a frozen class holds its sessions",
    )

    objects = PresentStudents()
    everyone = AllStudents()

    class Meta:
        ordering = ("folded",)
        constraints = [
            models.UniqueConstraint(fields=["classroom", "folded"], name="one_nickname_in_a_class")
        ]

    def __str__(self) -> str:
        return f"{self.nickname} in {self.classroom_id}"


class Vote(models.Model):
    """A prediction that the whole class makes twice, with a talk in between."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="votes")
    exercise = models.CharField(max_length=60)
    stage = models.CharField(max_length=10, default="first")
    opened = models.DateTimeField(auto_now_add=True)
    ends_at = models.DateTimeField(null=True, help_text="when the open round closes by itself")

    class Meta:
        ordering = ("-opened",)

    def __str__(self) -> str:
        return f"{self.exercise}: {self.stage}"


class Ballot(models.Model):
    """One student's prediction in one round."""

    vote = models.ForeignKey(Vote, on_delete=models.CASCADE, related_name="ballots")
    student = models.ForeignKey(Student, on_delete=models.CASCADE, related_name="+")
    second = models.BooleanField(default=False)
    answer = models.JSONField()
    tally = models.CharField(max_length=255)
    right = models.BooleanField()

    class Meta:
        ordering = ("vote", "pk")
        constraints = [
            models.UniqueConstraint(fields=["vote", "student", "second"], name="one_ballot_in_a_round")
        ]

    def __str__(self) -> str:
        return f"{self.student_id} on {self.vote_id}"


class ClassPaper(models.Model):
    """A test of a class: one form of the concept inventory, or an exam. Each student answers each question once."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="papers")
    kind = models.CharField(max_length=10, help_text="before, after or exam")
    exercises = models.JSONField(help_text="slugs of the exercises that are asked, in order")
    opened = models.DateTimeField(auto_now_add=True)
    ends_at = models.DateTimeField(null=True, help_text="when it ends by itself")
    closed = models.BooleanField(default=False, help_text="whether the teacher ended it")

    class Meta:
        ordering = ("-opened", "-pk")

    def __str__(self) -> str:
        return f"{self.kind} of {self.classroom_id}"


class PaperAnswer(models.Model):
    """One student's answer to one question of a test."""

    paper = models.ForeignKey(ClassPaper, on_delete=models.CASCADE, related_name="answers")
    student = models.ForeignKey(Student, on_delete=models.CASCADE, related_name="+")
    exercise = models.CharField(max_length=60)
    variant = models.PositiveIntegerField()
    at = models.DateTimeField(auto_now_add=True)
    tally = models.CharField(max_length=255)
    right = models.BooleanField()
    shown = models.JSONField(default=list, help_text="names of the misconceptions that the answer shows")

    class Meta:
        ordering = ("paper", "pk")
        constraints = [
            models.UniqueConstraint(
                fields=["paper", "student", "exercise"], name="one_answer_to_each_question"
            )
        ]

    def __str__(self) -> str:
        return f"{self.student_id} on {self.exercise} of {self.paper_id}"


class Login(models.Model):
    """A browser in which a teacher is logged in."""

    teacher = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="logins")
    trace = models.CharField(max_length=64, unique=True, help_text="hash of the number in the cookie")
    begun = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering = ("-begun",)

    def __str__(self) -> str:
        return f"teacher {self.teacher_id} since {self.begun}"


class Invitation(models.Model):
    """A code with which somebody signs up as a teacher, once."""

    trace = models.CharField(max_length=64, unique=True, help_text="keyed hash of the code")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="invitations"
    )
    until = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"invitation until {self.until}"


class Recovery(models.Model):
    """What is kept of the code with which a teacher sets another password."""

    teacher = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="recovery"
    )
    trace = models.CharField(max_length=64, help_text="keyed hash of the code")

    def __str__(self) -> str:
        return f"recovery of teacher {self.teacher_id}"


class Farewell(models.Model):
    """A teacher who deleted the account and may still come back."""

    teacher = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="farewell"
    )
    at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"teacher {self.teacher_id}"
