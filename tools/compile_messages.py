"""Compile translations (.po to .mo) that are newer than their compiled form; needs no GNU gettext."""

from pathlib import Path

import polib

LOCALE = Path(__file__).resolve().parent.parent / "locale"


def compile_messages(root: Path = LOCALE) -> list[Path]:
    """Compile what is out of date under `root` and return the files written.

    Raises:
        OSError: the folder may not be written.
    """
    written = []
    for source in sorted(root.glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        polib.pofile(str(source)).save_as_mofile(str(target))
        written.append(target)
    return written


def main(root: Path = LOCALE) -> None:
    """Compile, and print what was done; where that cannot be, pages are in English."""
    try:
        for path in compile_messages(root):
            print(f"compiled {path.relative_to(root.parent)}")
    except OSError as error:
        print(
            f"The translations cannot be compiled: {error.strerror or error}. What is missing is shown in English."
        )


if __name__ == "__main__":
    main()
