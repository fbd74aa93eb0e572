"""What is kept: sessions, the commands given in them, and scenarios with a short address."""

from __future__ import annotations

import hashlib
import zlib
from typing import Any, Final

import orjson
from django.db import connection, models
from django.utils import timezone

GROUP_LETTERS: Final = 32
MOST_TEXT_BYTES: Final = 64 * 1024 * 1024
"""Of a scenario's text: many times what a scenario and all commands of a session may have."""


class ScenarioText(models.Model):
    """A scenario as it is written canonically, once for all sessions and links that have it."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    packed = models.BinaryField(help_text="canonical JSON without a digest, compressed")
    size_bytes = models.PositiveIntegerField(help_text="of what is packed")

    def __str__(self) -> str:
        return f"{self.sha256[:12]}: {self.size_bytes} bytes"

    @property
    def body(self) -> str:
        return zlib.decompressobj().decompress(self.packed, MOST_TEXT_BYTES).decode()

    @classmethod
    def of(cls, body: str) -> ScenarioText:
        """Return the row of a text, a new one if there is none. Raises ValueError."""
        data = body.encode()
        if len(data) > MOST_TEXT_BYTES:
            raise ValueError(f"a scenario of {len(data)} bytes cannot be kept")
        packed = zlib.compress(data)
        values = {"packed": packed, "size_bytes": len(packed)}
        return cls.objects.get_or_create(sha256=hashlib.sha256(data).hexdigest(), defaults=values)[0]


class Scenario(models.Model):
    """A run that can be repeated: a library entry (with a slug) or a shared moment (without)."""

    short_id = models.CharField(max_length=16, unique=True)
    slug = models.SlugField(max_length=60, unique=True, null=True)  # noqa: DJ001 - unique, and absent for most
    title = models.CharField(max_length=200)
    text = models.ForeignKey(ScenarioText, on_delete=models.PROTECT, related_name="+")
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
    visitor = models.CharField(
        max_length=32, blank=True, db_index=True, help_text="the browser that made a link of it first"
    )
    group = models.CharField(
        max_length=GROUP_LETTERS, blank=True, db_index=True, help_text="its class, or trace of its address"
    )

    class Meta:
        ordering = ("slug", "-created")

    def __str__(self) -> str:
        return f"{self.title} ({self.slug or self.short_id})"


class Session(models.Model):
    """One run of somebody's: the scenario that it began with. Its commands are `CommandRecord`s."""

    public_id = models.CharField(max_length=32, unique=True)
    text = models.ForeignKey(ScenarioText, on_delete=models.PROTECT, related_name="+")
    recorded = models.CharField(
        max_length=128, blank=True, help_text="digest of the scenario's run at its end; empty if not known"
    )
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
    group = models.CharField(
        max_length=GROUP_LETTERS, blank=True, db_index=True, help_text="its class, or trace of its address"
    )
    record_bytes = models.PositiveIntegerField(
        default=0, help_text="of its commands, as they are charged: in whole blocks"
    )

    class Meta:
        ordering = ("-created",)

    def __str__(self) -> str:
        return self.public_id

    @staticmethod
    def seen_now() -> Any:
        """Return the time of day as the database keeps it in `last_seen`."""
        return connection.ops.adapt_datetimefield_value(timezone.now())

    @property
    def scenario(self) -> dict[str, Any]:
        """The scenario that it began with, with the digest of that run."""
        return {**orjson.loads(self.text.body), "digest": self.recorded or None}


class Lease(models.Model):
    """Which process owns a session: see `playground.records.session_leases`."""

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
            models.UniqueConstraint(fields=["session", "sequence"], name="one_command_per_sequence")
        ]

    def __str__(self) -> str:
        return f"{self.session_id}#{self.sequence}"


class OwnSweep(models.Model):
    """A visitor's own workload over a grid: under way, done with its heatmap, or failed."""

    name = models.CharField(
        max_length=40, unique=True, help_text="nobody guesses it; also the heatmap's name"
    )
    visitor = models.CharField(max_length=32, db_index=True)
    group = models.CharField(
        max_length=GROUP_LETTERS, blank=True, db_index=True, help_text="its class, or trace of its address"
    )
    size_bytes = models.PositiveIntegerField(default=0, help_text="of spec and document")
    spec = models.JSONField(help_text="scenario, grid, and whether it is a Spark job")
    cells = models.PositiveIntegerField()
    guessed_s = models.FloatField(null=True, help_text="of one processor, before the first run has ended")
    standing = models.JSONField(default=dict, help_text="how far it is: sweeps.progress.SweepStanding")
    ended = models.BooleanField(default=False)
    error = models.CharField(max_length=300, blank=True)
    document = models.BinaryField(null=True, help_text="the heatmap as JSON, as sweeps.document makes it")
    created = models.DateTimeField(auto_now_add=True, db_index=True)
    touched = models.DateTimeField(default=timezone.now, help_text="when a run of it ended last")

    def __str__(self) -> str:
        return f"{self.name}: {self.standing.get('done', 0)} of {self.cells}"
