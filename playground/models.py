"""What is kept: sessions, the commands given in them, and scenarios with a short address."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class Scenario(models.Model):
    """A run that can be repeated: a library entry (with a slug) or a shared moment (without)."""

    short_id = models.CharField(max_length=16, unique=True)
    slug = models.SlugField(max_length=60, unique=True, null=True)  # noqa: DJ001 - unique, and absent for most
    title = models.CharField(max_length=200)
    body = models.TextField(help_text="canonical JSON")
    story = models.JSONField(
        null=True, default=None, help_text="what pages show around the run, as in the scenario file"
    )
    digest = models.CharField(
        max_length=128, blank=True, help_text="of the run at until_us; empty if not known"
    )
    engine_version = models.CharField(max_length=32)
    created = models.DateTimeField(auto_now_add=True)
    last_seen = models.DateTimeField(default=timezone.now, db_index=True)
    size_bytes = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("slug", "-created")

    def __str__(self) -> str:
        return f"{self.title} ({self.slug or self.short_id})"


class Session(models.Model):
    """One run of somebody's: the scenario that it began with. Its commands are `CommandRecord`s."""

    public_id = models.CharField(max_length=32, unique=True)
    scenario = models.JSONField()
    origin = models.ForeignKey(Scenario, null=True, on_delete=models.SET_NULL, related_name="+")
    engine_version = models.CharField(max_length=32)
    reached_us = models.BigIntegerField(
        default=0, help_text="virtual time that the run is known to have reached"
    )
    digest = models.CharField(
        max_length=128, blank=True, help_text="of the run at reached_us; empty if not known"
    )
    created = models.DateTimeField(auto_now_add=True)
    last_seen = models.DateTimeField(auto_now_add=True, db_index=True)
    predicted = models.SmallIntegerField(
        null=True, help_text="number of the option that was locked; -1: none was, and the run may go on"
    )
    visitor = models.CharField(
        max_length=32, blank=True, db_index=True, help_text="the browser that began it"
    )

    class Meta:
        ordering = ("-created",)

    def __str__(self) -> str:
        return self.public_id


class Lease(models.Model):
    """Which process owns a session: see `playground.leases`."""

    session = models.OneToOneField(Session, on_delete=models.CASCADE, primary_key=True, related_name="lease")
    process = models.CharField(max_length=80, db_index=True)
    node = models.CharField(max_length=40, blank=True, help_text="by which the proxy finds the process")
    epoch = models.PositiveBigIntegerField(help_text="higher with each new owner")
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.session_id}: {self.process}, epoch {self.epoch}"


class CommandRecord(models.Model):
    """A command that the engine took, or an undo: together with the scenario these rows are the whole session."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="commands")
    sequence = models.PositiveIntegerField()
    epoch = models.PositiveBigIntegerField(default=0, help_text="of the lease under which it was written")
    at_us = models.BigIntegerField()
    command = models.JSONField()

    class Meta:
        ordering = ("session", "sequence")
        constraints = [
            # Two processes that host one session at once find out here, before they diverge.
            models.UniqueConstraint(fields=["session", "sequence"], name="one_command_per_sequence"),
        ]

    def __str__(self) -> str:
        return f"{self.session_id}#{self.sequence}"


class OwnSweep(models.Model):
    """A visitor's own workload over a grid: under way, done with its heatmap, or failed."""

    name = models.CharField(
        max_length=40, unique=True, help_text="nobody guesses it; also the heatmap's name"
    )
    visitor = models.CharField(max_length=32, db_index=True)
    spec = models.JSONField(help_text="scenario, grid, and whether it is a Spark job")
    cells = models.PositiveIntegerField()
    done = models.PositiveIntegerField(default=0)
    ended = models.BooleanField(default=False)
    error = models.CharField(max_length=300, blank=True)
    document = models.BinaryField(null=True, help_text="the heatmap as JSON, as sweeps.document makes it")
    created = models.DateTimeField(auto_now_add=True, db_index=True)
    touched = models.DateTimeField(default=timezone.now, help_text="when a run of it ended last")

    def __str__(self) -> str:
        return f"{self.name}: {self.done} of {self.cells}"
