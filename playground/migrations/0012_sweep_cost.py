from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('playground', '0011_only_texts'),
    ]

    operations = [
        migrations.AddField('ownsweep', 'guessed_s', models.FloatField(null=True, help_text='of one processor, by the first run; before it ended, by its beginning')),
        migrations.AddField('ownsweep', 'taken_s', models.FloatField(null=True, help_text='of one processor, by the runs that have ended')),
    ]
