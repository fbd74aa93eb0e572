"""A round of a vote may end by itself."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("classroom", "0001_initial")]

    operations = [
        migrations.AddField(
            "vote", "ends_at", models.DateTimeField(null=True, help_text="when the open round closes by itself")
        ),
    ]
