"""A link that nobody opens any more can be told from one that is in use."""

import django.utils.timezone
from django.db import migrations, models
from django.db.models.functions import Length


def measure(apps, _editor):
    """Note what the links that are there take."""
    apps.get_model("playground", "Scenario").objects.update(size_bytes=Length("body"))


class Migration(migrations.Migration):
    dependencies = [("playground", "0004_leases")]

    operations = [
        migrations.AddField(
            "scenario", "last_seen", models.DateTimeField(default=django.utils.timezone.now, db_index=True)
        ),
        migrations.AddField("scenario", "size_bytes", models.PositiveIntegerField(default=0)),
        migrations.RunPython(measure, migrations.RunPython.noop),
    ]
