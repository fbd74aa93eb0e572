"""Keep each scenario once: what sessions and links have of one become the same text."""

import hashlib
import zlib
from typing import Any

import orjson
from django.db import migrations


def keep_once(apps: Any, _editor: Any) -> None:
    """Give each link and each session its text, of which equal ones are one row."""
    texts, links, sessions = (apps.get_model("playground", name) for name in ("ScenarioText", "Scenario", "Session"))
    known: set[str] = set()

    def text_of(body: str) -> str:
        data = body.encode()
        name = hashlib.sha256(data).hexdigest()
        if name not in known:
            packed = zlib.compress(data)
            texts.objects.get_or_create(sha256=name, defaults={"packed": packed, "size_bytes": len(packed)})
            known.add(name)
        return name

    for key, body in links.objects.values_list("pk", "body").iterator(chunk_size=50):
        links.objects.filter(pk=key).update(text=text_of(body))
    for key, scenario in sessions.objects.values_list("pk", "scenario").iterator(chunk_size=50):
        body = orjson.dumps({**scenario, "digest": None}, option=orjson.OPT_SORT_KEYS).decode()
        sessions.objects.filter(pk=key).update(text=text_of(body), recorded=scenario.get("digest") or "")


class Migration(migrations.Migration):
    replaces = [('playground', '0010_scenarios_once')]

    dependencies = [
        ('playground', '0003_scenario_texts'),
    ]

    operations = [
        migrations.RunPython(keep_once, migrations.RunPython.noop),
    ]
