"""python -m playground.offline.export SCENARIO -o run.html: write a run as one page that works offline.

SCENARIO is the name of a ready scenario, or a scenario file.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path


def main(arguments: list[str] | None = None) -> int:
    """Write the page; return 2 when the scenario cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m playground.offline.export", description=__doc__)
    parser.add_argument("scenario", help="name of a ready scenario, or path of a scenario file")
    parser.add_argument("-o", "--out", type=Path, required=True, help="the page to be written")
    parser.add_argument("--server", default="", help="address of a Waterline that the page may link back to")
    asked = parser.parse_args(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
    import django  # noqa: PLC0415 - only now are the settings named

    django.setup()
    from django.conf import settings  # noqa: PLC0415

    from playground.offline.page import PageSource, write  # noqa: PLC0415
    from playground.sessions.scenario_links import packed  # noqa: PLC0415
    from playground.storybook import ready_scenarios  # noqa: PLC0415
    from playground.storybook.entry import BadScenario, read  # noqa: PLC0415

    try:
        entry = ready_scenarios.entry(asked.scenario) or read(Path(asked.scenario).read_bytes())
    except (OSError, BadScenario) as error:
        sys.stderr.write(f"{asked.scenario} is no ready scenario, and no file that can be read: {error}\n")
        return 2
    home = f"{asked.server.rstrip('/')}/" if asked.server else ""
    carried = packed(entry.run) if home else None
    if not any((settings.BASE_DIR / "locale").rglob("*.mo")):
        sys.stderr.write("The translations are not compiled, so the page is in English only: make messages\n")
    page = write(
        PageSource(
            entry.run, entry.story, entry.story_json(), home, f"{home}x/{carried}/" if carried else home
        )
    )
    asked.out.write_text(page, "utf-8")
    sys.stdout.write(f"{asked.out}: {len(page.encode()):,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
