"""An xAPI store hears once that an exercise is done."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('exercises', '0005_made'),
    ]

    operations = [
        migrations.AddField(
            model_name='work',
            name='told',
            field=models.BooleanField(default=False, help_text='an xAPI store has heard that it is done'),
        ),
    ]
