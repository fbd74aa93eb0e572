"""The engine's refusals in the reader's language: its sentences are English, and known here by their form.

The engine stays without translations; a sentence that is not known here is shown as the engine says it.
"""

from __future__ import annotations

import re
from typing import Any

from django.utils.translation import gettext_lazy as _

from playground.messages import Message

# What begins with "place" takes all that stands in front of it, such as `commands[3]: publish: count`.
SENTENCES: tuple[tuple[str, Any], ...] = (
    # --- commands that cannot be done now ---
    (
        r"the node holds (?P<held>\d+) messages and may hold (?P<most>\d+); publish at most (?P<room>\d+), .*",
        _(
            "The node holds %(held)s messages and may hold %(most)s. Publish at most %(room)s, or purge or consume "
            "first."
        ),
    ),
    (
        r"(?P<count>\d+) messages could need (?P<needed>\d+) bytes on disk, and (?P<free>\d+) of (?P<most>\d+) .*",
        _(
            "%(count)s messages could need %(needed)s bytes on disk; %(free)s of %(most)s are free. Publish fewer or "
            "smaller messages, or purge first."
        ),
    ),
    (
        r"the broker is stopped; start it with start_app first",
        _("The broker is stopped. Start it in the console with start_app first."),
    ),
    (
        r"(?P<what>x-[\w-]+ = .+): .* not part of Waterline; leave it out",
        _("%(what)s is not part of Waterline. Leave it out."),
    ),
    (
        r"there are (?P<most>\d+) channels already; close a connection first",
        _("There are %(most)s channels already. Close a connection first."),
    ),
    (
        r"(?P<held>\d+) messages are held by hand, not (?P<count>\d+); .*",
        _(
            "%(held)s messages are held by hand, not %(count)s. First use Get, or a consumer with acks by hand."
        ),
    ),
    (
        r"(?P<name>\S+) holds (?P<held>\d+) messages, so its ack mode cannot change; .*",
        _("%(name)s holds %(held)s messages, so its way to ack cannot change. Remove it, and add it again."),
    ),
    (
        r"(?P<name>\S+) is already the name of another actor; choose another name",
        _("The name %(name)s is taken. Choose another."),
    ),
    (
        r"\w+: the name (?P<name>\S+) is taken by the node itself; choose another",
        _("The name %(name)s is taken. Choose another."),
    ),
    (
        r"there are (?P<most>\d+) publishers and consumers already; remove one first",
        _("There are %(most)s publishers and consumers already. Remove one first."),
    ),
    (
        r"there is no (?P<name>\S+); publishers and consumers: .*",
        _("There is no publisher or consumer called %(name)s."),
    ),
    (
        r"(?P<name>\S+) holds (?P<held>\d+) messages, so its queue cannot change; .*",
        _("%(name)s holds %(held)s messages, so its queue cannot change. Remove it, and add it again."),
    ),
    (r"there is no queue (?P<name>[^\s;]+); queues: .*", _("There is no queue called %(name)s.")),
    (
        r"there is no consumer (?P<name>[^\s;]+); consumers: .*",
        _("There is no consumer called %(name)s."),
    ),
    (r"there is no policy (?P<name>[^\s;]+); policies: .*", _("There is no policy called %(name)s.")),
    (r"there is no (?P<name>[^\s;]+); channels: .*", _("Nobody called %(name)s has a channel.")),
    (
        r"there are (?P<most>\d+) queues already; delete one first",
        _("There are %(most)s queues already. Delete one first."),
    ),
    (
        r"there are (?P<most>\d+) exchanges already; delete one first",
        _("There are %(most)s exchanges already. Delete one first."),
    ),
    (
        r"there are (?P<most>\d+) bindings already; remove one first",
        _("There are %(most)s bindings already. Remove one first."),
    ),
    (
        r"there are (?P<most>\d+) policies already; clear one first",
        _("There are %(most)s policies already. Clear one first."),
    ),
    (
        r"the broker is stopped; start it with start_app first",
        _("The broker is stopped. Start it with start_app first."),
    ),
    (r"(?P<line>\S+) changes nothing; ask it instead", _("%(line)s changes nothing: it is a question.")),
    (
        r"(?P<name>.+) = (?P<value>.+): .+ not part of Waterline; leave it out",
        _("%(name)s = %(value)s is not part of Waterline. Leave it out."),
    ),
    # --- values ---
    (r"a command is an object such as .*", _('A command must be an object, such as {"do": "purge"}.')),
    (r"do must be one of (?P<verbs>.*)", _("do must be one of these: %(verbs)s.")),
    (
        r'"(?P<text>.*)" is no amount of bytes; .*',
        _("%(text)s is no amount of bytes. Write it like 512MiB, 1GB or 1073741824."),
    ),
    (
        r"(?:settings: )?(?P<name>\S+) = (?P<value>.+) is not possible; allowed: (?P<allowed>.+)",
        _("%(name)s cannot be %(value)s. Possible: %(allowed)s."),
    ),
    (
        r"(?P<place>.+) must be a whole number(?:, not .*| of microseconds .*)?",
        _("%(place)s must be a whole number."),
    ),
    (
        r"(?P<place>.+) must be a whole number from (?P<least>\S+) to (?P<most>\S+)",
        _("%(place)s must be a whole number from %(least)s to %(most)s."),
    ),
    (r"(?P<place>.+) must be a number, not .*", _("%(place)s must be a number.")),
    (r"(?P<place>.+) must be at least (?P<least>\S+)", _("%(place)s must be at least %(least)s.")),
    (
        r"(?P<place>.+) must be at most (?:until_us, )?(?P<most>\S+)",
        _("%(place)s must be at most %(most)s."),
    ),
    (r"(?P<place>.+) is too large", _("%(place)s is too large.")),
    (
        r"(?P<place>.+) must begin with a letter and have only .*",
        _("%(place)s must begin with a letter and have only a-z, 0-9, ., - and _ after it."),
    ),
    (r"(?P<place>.+) is none of the possible values", _("%(place)s is none of the possible values.")),
    (r"(?P<place>.+) is missing", _("%(place)s is missing.")),
    (r"(?P<place>.+) is not known here", _("%(place)s is not known here.")),
    # --- scenarios ---
    (
        r"a scenario has at most (?P<most>\d+) bytes, this one has (?P<count>\d+)",
        _("A scenario has at most %(most)s bytes; this one has %(count)s."),
    ),
    (
        r"topology\.(?P<part>\w+) has (?P<name>\S+) twice",
        _("topology.%(part)s has %(name)s twice."),
    ),
    (r"topology: (?P<words>.*)", _("The topology cannot be declared: %(words)s")),
    (r"this is no JSON: .*", _("This is no scenario: it is not JSON.")),
    (r"a scenario is an object", _("This is no scenario: it must be an object.")),
    (
        r"version must be (?P<version>\d+); .*",
        _("The version of the scenario must be %(version)s; this program knows no other."),
    ),
    (r"settings: (?P<name>\S+) is no setting; .*", _("settings: there is no setting called %(name)s.")),
    (
        r"commands\[(?P<number>\d+)\]\.at_us is before that of the command in front of it",
        _("commands[%(number)s].at_us is before that of the command in front of it."),
    ),
)
KNOWN = tuple((re.compile(form, re.DOTALL), text) for form, text in SENTENCES)


def told(error: Exception) -> Message:
    """Return what an engine's refusal says, translatable where its form is known."""
    sentence = str(error)
    for form, text in KNOWN:
        found = form.fullmatch(sentence)
        if found:
            return Message(text, **found.groupdict())
    return Message(sentence)
