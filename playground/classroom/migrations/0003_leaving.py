"""A class and a teacher's account that were deleted can be brought back for some minutes."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("classroom", "0002_vote_ends_at"),
        ("exercises", "0003_learner_leaving_at"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            "classroom", "leaving_at", models.DateTimeField(null=True, db_index=True, help_text="when it was deleted")
        ),
        migrations.CreateModel(
            name="Farewell",
            fields=[
                (
                    "teacher",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="farewell",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("at", models.DateTimeField(db_index=True)),
            ],
        ),
    ]
