"""Nicknames: what may be one, how two are compared, and a suggestion without anything about a person."""

from __future__ import annotations

import re
import secrets
import unicodedata

from django.utils.translation import gettext_lazy as _

from playground.texts.page_message import RequestRefused

LEAST, MOST = 1, 24
ADJECTIVES = (
    "quiet blue odd slow paper amber tiny north salt green lost warm iron late silver brisk calm dry flat gold high "
    "ivory jade kind loud mild neat pale quick red soft tall"
).split()


ANIMALS = (
    "otter kestrel lantern comet fox reed anvil wren badger kite mitten pebble moth plum newt owl heron maple stone "
    "crab fern lynx mole ibis toad yak tern vole carp finch hare swan"
).split()


def cleaned(text: str) -> str:
    """Return a nickname as it is kept, or raise `RequestRefused`: letters, digits, spaces, - and _, up to 24."""
    if len(text) > 200:
        raise RequestRefused(_("A nickname has %(least)s to %(most)s characters."), least=LEAST, most=MOST)
    name = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip()
    if not LEAST <= len(name) <= MOST:
        raise RequestRefused(_("A nickname has %(least)s to %(most)s characters."), least=LEAST, most=MOST)
    kinds = [unicodedata.category(each) for each in name]
    if not all(
        each in " -_" or kind[0] in "LN" or kind == "Mn" for each, kind in zip(name, kinds, strict=True)
    ):
        raise RequestRefused(_("A nickname has only letters, digits, spaces, - and _."))
    if kinds[0][0] not in "LN":
        raise RequestRefused(_("A nickname begins with a letter or a digit."))
    if kinds.count("Mn") > len(name) // 2:
        raise RequestRefused(_("A nickname has only letters, digits, spaces, - and _."))
    return name


LATIN = {
    "CYRILLIC SMALL LETTER ": dict(
        zip("A IE O ER ES U HA BYELORUSSIAN-UKRAINIAN_I JE DZE SHHA".split(), "aeopcyxijsh", strict=True)
    ),
    "GREEK SMALL LETTER ": dict(
        zip("ALPHA OMICRON RHO NU IOTA KAPPA UPSILON CHI TAU".split(), "aopvikuxt", strict=True)
    ),
}
"""Letters of other scripts that look like Latin ones, by the rest of their names."""


LOOK_ALIKE = {
    ord(unicodedata.lookup(script + letter.replace("_", " "))): latin
    for script, letters in LATIN.items()
    for letter, latin in letters.items()
} | str.maketrans("01\u0131", "oli")


def folded(name: str) -> str:
    """Return what two nicknames are compared by: "Anna", "a n-n a" and one with a Cyrillic "a" are the same."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    letters = re.sub("[\u0300-\u036f]", "", plain)  # accents, not the vowel signs of other scripts
    return re.sub(r"[ _-]", "", letters).translate(LOOK_ALIKE)[:48]


def suggestion(taken: set[str]) -> str:
    """Return a nickname that nobody in the class has."""
    for _try in range(40):
        name = f"{secrets.choice(ADJECTIVES)}-{secrets.choice(ANIMALS)}"
        if folded(name) not in taken:
            return name
    return f"{secrets.choice(ADJECTIVES)}-{secrets.choice(ANIMALS)}-{secrets.randbelow(9000) + 1000}"
