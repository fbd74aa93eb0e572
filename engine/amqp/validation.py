"""What a release takes of arguments, policies and exchanges: its rows of the tables that real nodes' answers wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from engine.amqp import tables
from engine.amqp.arguments import CHECKS, Row


class ReleaseValidation(msgspec.Struct, frozen=True, kw_only=True):
    """The tables of one release.

    Args:
        arguments: of queues, in the order in which the broker looks at them; it takes any other, whatever its value.
        keys: of policies, in the broker's order; any other is refused.
        mirrors_first: whether the keys of mirrors are looked at before the others (H6).
        not_for_classic: keys with which a policy does not apply to a classic queue at all (P17).
        apply_to: to what a policy may apply.
        apply_to_words: the refusal of anything else, with ~ for it.
        exchange_types: that there are.
        other_types: words that the broker knows, of which none is an exchange's type; its refusal differs.
    """

    arguments: Mapping[str, Row]
    keys: Mapping[str, Row]
    mirrors_first: bool
    not_for_classic: frozenset[str]
    apply_to: tuple[str, ...]
    apply_to_words: str
    exchange_types: tuple[str, ...]
    other_types: tuple[str, ...]

    @property
    def counting(self) -> tuple[str, ...]:
        """The arguments in which a queue that is declared again must not differ."""
        return tuple(name for name, row in self.arguments.items() if row[0] in CHECKS)


VALIDATIONS: Final = {
    name: ReleaseValidation(
        arguments=tables.ARGUMENTS[name],
        keys=tables.KEYS[name],
        mirrors_first=tables.MIRRORS_FIRST[name],
        not_for_classic=frozenset(tables.NOT_FOR_CLASSIC[name]),
        apply_to=tables.APPLY_TO[name],
        apply_to_words=tables.APPLY_TO_WORDS[name],
        exchange_types=tables.EXCHANGE_TYPES[name],
        other_types=tables.OTHER_TYPES[name],
    )
    for name in tables.ARGUMENTS
}
"""By the name of the release."""

REFERENCE: Final = VALIDATIONS[tables.REFERENCE]
