from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('exercises', '0009_learner_group'),
    ]

    operations = [
        migrations.AddField(
            model_name='attempt',
            name='why',
            field=models.CharField(blank=True, default='', help_text="the learner's own reason for a wrong answer, shown to nobody else", max_length=200),
            preserve_default=False,
        ),
    ]
