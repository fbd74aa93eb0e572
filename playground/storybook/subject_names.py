"""The subjects that the articles describe, and the questions that people really ask: short names for pages."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy as _

SUBJECTS: Final[dict[int, Any]] = {
    1: _("When a message goes to disk"),
    2: _("Queue index"),
    3: _("Embed threshold"),
    4: _("What a read keeps in memory"),
    5: _("Message store"),
    6: _("Reading a body"),
    7: _("Deleting and combining files"),
    8: _("Queue process and backing queue"),
    9: _("Direct delivery"),
    10: _("Alpha, beta, gamma, delta"),
    11: _("The five lanes"),
    12: _("target_ram_count"),
    13: _("Cost of a read"),
    14: _("Filling a queue"),
    15: _("Taking from a queue"),
    16: _("A fast consumer"),
    17: _("Backlog spiral"),
    18: _("Remedies for a backlog"),
    19: _("Lazy queues"),
    20: _("Memory alarm"),
    21: _("Paging"),
    22: _("Disk alarm"),
    23: _("Blocked connections"),
    24: _("Credit flow"),
    25: _("Write buffer and flush"),
    26: _("The .rdq record"),
    27: _("Journal and segments"),
    28: _("Durability"),
    29: _("What durability does not save"),
    30: _("Operator commands"),
}
"""By the number of the subject."""

QUESTIONS: Final[dict[int, Any]] = {
    1: _("Why does memory go up past the watermark when paging starts?"),
    2: _("Why are publishers in flow with no alarm and an idle machine?"),
    3: _("Why do publishers hang on a disk alarm though the disk seems fine?"),
    4: _("Why are consumers so slow after a backlog, and why do they never catch up?"),
    5: _("Why does a lazy queue still eat memory, even after a restart?"),
    6: _("Is a confirmed message always on disk, and why are confirms slow?"),
    7: _("Why are messages gone after a restart although the queue is durable?"),
    8: _("Why is the disk full of .rdq files though the queues are nearly empty?"),
    9: _("Why is the broker overloaded when a consumer with unlimited prefetch closes?"),
    10: _("Where does a nacked message go, and why is the order broken?"),
    11: _("Why does start-up take minutes to hours?"),
    12: _("How much memory does my queue use, and why do the columns not add up?"),
}
"""By the number of the question."""
