"""A frozen class holds all sessions of a student's browser."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("classroom", "0003_leaving")]

    operations = [
        migrations.AddField(
            "student",
            "visitor",
            models.CharField(
                blank=True,
                default="",
                help_text="the browser that was seen last: a frozen class holds its sessions",
                max_length=32,
            ),
            preserve_default=False,
        ),
    ]
