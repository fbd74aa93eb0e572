"""What was predicted is kept with the session, so that the server can wait for it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("playground", "0005_scenario_last_seen")]

    operations = [
        migrations.AddField(
            model_name="session",
            name="predicted",
            field=models.SmallIntegerField(
                help_text="number of the option that was locked; -1: none was, and the run may go on", null=True
            ),
        ),
    ]
