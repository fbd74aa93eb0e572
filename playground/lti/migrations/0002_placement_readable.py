from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("lti", "0001_seats"),
    ]

    operations = [
        migrations.AddField(
            model_name="placement",
            name="readable",
            field=models.BooleanField(
                default=False, help_text="the platform tells what stands in the gradebook"
            ),
        ),
    ]
