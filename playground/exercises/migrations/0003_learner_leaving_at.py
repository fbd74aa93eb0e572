"""Who deletes everything may change their mind for some minutes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("exercises", "0002_work_failures")]

    operations = [
        migrations.AddField(
            "learner",
            "leaving_at",
            models.DateTimeField(null=True, db_index=True, help_text="when everything of theirs was deleted"),
        ),
    ]
