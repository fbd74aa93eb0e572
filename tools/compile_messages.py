"""Compile translations (.po to .mo) that are newer than their compiled form; needs no GNU gettext."""

from pathlib import Path

import polib

LOCALE = Path(__file__).resolve().parent.parent / "locale"


def compile_messages(root: Path = LOCALE) -> list[Path]:
    """Compile what is out of date under `root` and return the files written."""
    written = []
    for source in sorted(root.glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        polib.pofile(str(source)).save_as_mofile(str(target))
        written.append(target)
    return written


if __name__ == "__main__":
    for path in compile_messages():
        print(f"compiled {path.relative_to(LOCALE.parent)}")
