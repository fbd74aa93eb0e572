"""The tables of release 0.3."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ('exercises', '0001_initial'),
        ('exercises', '0002_work_failures'),
        ('exercises', '0003_learner_leaving_at'),
        ('exercises', '0004_work_variant'),
    ]

    initial = True

    dependencies = [
        ('playground', '0001_release_0_3'),
    ]

    operations = [
        migrations.CreateModel(
            name='Learner',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code_trace', models.CharField(help_text='keyed hash of the personal code', max_length=64, unique=True)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('last_seen', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('leaving_at', models.DateTimeField(db_index=True, help_text='when everything of theirs was deleted', null=True)),
            ],
            options={'ordering': ('-created',)},
        ),
        migrations.CreateModel(
            name='Work',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('exercise', models.CharField(max_length=60)),
                ('begun', models.DateTimeField(auto_now_add=True)),
                ('touched', models.DateTimeField(auto_now_add=True)),
                ('done_at', models.DateTimeField(null=True)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('hints', models.PositiveSmallIntegerField(default=0)),
                ('solution_shown', models.BooleanField(default=False)),
                ('steps', models.JSONField(default=list, help_text="right placements of a 'be the broker' so far")),
                ('locked', models.BooleanField(default=False, help_text='a prediction is given, the run goes on')),
                ('failures', models.PositiveIntegerField(default=0)),
                ('wrong', models.BooleanField(default=False, help_text='the last answer was wrong')),
                ('right_at', models.DateTimeField(help_text='the last right answer or step', null=True)),
                ('right_first', models.BooleanField(default=False, help_text='done without a wrong answer, and without the solution')),
                ('variant', models.PositiveIntegerField(default=0, help_text='seed of the numbers; 0 as usual')),
                ('earlier', models.PositiveIntegerField(default=0, help_text='answers before one began again the last time')),
                ('learner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='works', to='exercises.learner')),
                ('session', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='playground.session')),
            ],
            options={'ordering': ('learner', 'begun')},
        ),
        migrations.CreateModel(
            name='Attempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('passed', models.BooleanField()),
                ('tally', models.CharField(max_length=255)),
                ('verdict', models.JSONField()),
                ('work', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='exercises.work')),
            ],
            options={'ordering': ('work', 'number')},
        ),
        migrations.AddConstraint('work', models.UniqueConstraint(fields=('learner', 'exercise'), name='one_work_for_each_exercise')),
        migrations.AddConstraint('attempt', models.UniqueConstraint(fields=('work', 'number'), name='one_answer_for_each_number')),
    ]
