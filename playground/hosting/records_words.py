"""Reasons why there is no record, in the reader's language."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _

from playground.hosting.file_records import NotThere

_BUFFERS: Final = {
    "journal": "journal",
    "segment": "journal",
    "persistent": "persistent",
    "transient": "persistent",
}
"""The buffer in which a record waits, by the kind of its file."""


def missing_words(missing: NotThere, kind: str) -> dict[str, str]:
    words = {
        "asleep": _("While the session sleeps it has no files. They are made again as soon as it runs."),
        "no_file": _("There is no such file now: it has not been made yet, or it was deleted."),
        "no_record": _("No record begins there now: the file has changed. Choose the message again."),
        "future": _("The run has not reached that moment yet."),
        "too_long": _("Repeating the run up to that moment takes longer than this server allows."),
        "busy": _("Other moments are being repeated. Try again in a moment."),
        "absent": _(
            "The index files have no record of this message: it waits in a write buffer, or only RAM knows it."
        ),
    }
    if missing.reason == "waiting":
        text = {
            "journal": _("These bytes are still in the journal's buffer: the file ends at %(size)s."),
            "persistent": _("These bytes are still in the 1 MiB write buffer: the file ends at %(size)s."),
            "slots": _("These bytes are still in a write buffer: the file ends at %(size)s."),
        }[_BUFFERS.get(kind, "slots")]
        words["waiting"] = text % {"size": missing.numbers["size"]}
    return words
