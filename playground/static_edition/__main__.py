"""python -m playground.static_edition DIST: the whole playground as files for any static host.

Pages come from the server itself, by its own templates; sessions run in the reader's browser. `make static` adds the
engine. With --scorm NAME a unit or an exercise of the edition that is in DIST becomes a zip for learning platforms.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Final

TINY: Final = ("/whatif/", "/i18n/catalog.js")
"""What the tiny edition has of the server's pages, beside those of sessions."""


def main(arguments: list[str] | None = None) -> int:
    """Write the edition, with a database of its own that is forgotten afterwards."""
    parser = argparse.ArgumentParser(prog="python -m playground.static_edition", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--scorm", metavar="NAME", help="write NAME.zip for learning platforms beside the pages"
    )
    parser.add_argument("--language", help="of the zip (en unless given), or the only one of the pages")
    parser.add_argument(
        "--tiny", action="store_true", help="write only the pages that belong to sessions, and a heatmap"
    )
    parser.add_argument(
        "--figures", type=int, metavar="RUNS", help="write small figures of so many runs only, not of all"
    )
    asked = parser.parse_args(arguments)
    out: Path = asked.out
    language = asked.language or "en"
    with tempfile.TemporaryDirectory(prefix="waterline-static-") as var:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "playground.settings",
            "DATABASE_URL": f"sqlite:///{var}/pages.sqlite3",
            "WATERLINE_VAR": var,
            "WATERLINE_READS_PER_MINUTE": "1000000",
        }
        import django  # noqa: PLC0415 - only now do the settings name the directories

        django.setup()
        from django.core.management import call_command  # noqa: PLC0415

        from playground.static_edition.write import NoSuchWork, astray, write, write_package  # noqa: PLC0415  # noqa: PLC0415

        if not asked.scorm or asked.tiny:
            call_command("migrate", interactive=False, verbosity=0)
            call_command("load_scenarios", stdout=open(os.devnull, "w"))  # noqa: SIM115, PTH123 - for this one line
            if asked.tiny:
                write(out, (language,), TINY, follow=False)
            else:
                left_out = write(out, (asked.language,) if asked.language else None, figures=asked.figures)
                wrong = astray(out, left_out)
                if wrong:
                    sys.stderr.write("\n".join(("These links lead to no file of the edition:", *wrong, "")))
                    return 1
        if asked.scorm:
            package = out / f"{asked.scorm}.zip"
            try:
                count = write_package(out, package, asked.scorm, language)
            except NoSuchWork as wrong:
                parser.error(str(wrong))
            sys.stdout.write(f"{package}: {count} files, {package.stat().st_size:,} bytes\n")
            return 0
    sys.stdout.write(f"{out}: {sum(1 for each in out.rglob('*') if each.is_file())} files\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
