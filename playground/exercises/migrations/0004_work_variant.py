"""Who begins again gets the exercise with other numbers."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("exercises", "0003_learner_leaving_at")]

    operations = [
        migrations.AddField(
            "work", "variant", models.PositiveIntegerField(default=0, help_text="seed of the numbers; 0 as usual")
        ),
        migrations.AddField(
            "work",
            "earlier",
            models.PositiveIntegerField(default=0, help_text="answers before one began again the last time"),
        ),
    ]
