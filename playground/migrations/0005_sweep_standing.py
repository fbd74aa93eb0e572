"""Only the texts are kept; an own sweep knows how far it is."""

import django.db.models.deletion
from django.db import migrations, models


def gather(apps, _schema_editor):
    """Keep how far the sweeps of release 0.4 are; none of them has measured its cost."""
    for sweep in apps.get_model('playground', 'OwnSweep').objects.only('done'):
        sweep.standing = {'done': sweep.done, 'guessed_s': 0.0, 'taken_s': 0.0}
        sweep.save(update_fields=['standing'])


class Migration(migrations.Migration):
    replaces = [
        ('playground', '0011_only_texts'),
        ('playground', '0012_sweep_cost'),
        ('playground', '0013_sweep_standing'),
    ]

    dependencies = [
        ('playground', '0004_scenarios_once'),
    ]

    operations = [
        migrations.AlterField('scenario', 'text', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='playground.scenariotext')),
        migrations.AlterField('session', 'text', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='playground.scenariotext')),
        migrations.RemoveField('scenario', 'body'),
        migrations.RemoveField('session', 'scenario'),
        migrations.AddField('ownsweep', 'guessed_s', models.FloatField(help_text='of one processor, before the first run has ended', null=True)),
        migrations.AddField('ownsweep', 'standing', models.JSONField(default=dict, help_text='how far it is: sweeps.progress.SweepStanding')),
        migrations.RunPython(gather, migrations.RunPython.noop),
        migrations.RemoveField('ownsweep', 'done'),
    ]
