"""Where a learner began, reasons for wrong answers, and questions that come again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ('exercises', '0009_learner_group'),
        ('exercises', '0010_attempt_why'),
        ('exercises', '0011_work_reviews'),
    ]

    dependencies = [
        ('exercises', '0002_release_0_4'),
    ]

    operations = [
        migrations.AddField('learner', 'group', models.CharField(blank=True, db_index=True, default='', help_text='the class, or trace of the address where it began', max_length=32), preserve_default=False),
        migrations.AddField('attempt', 'why', models.CharField(blank=True, default='', help_text="the learner's own reason for a wrong answer, shown to nobody else", max_length=200), preserve_default=False),
        migrations.AddField('work', 'reviews', models.PositiveSmallIntegerField(default=0, help_text='right answers in a row, each after a rest')),
    ]
