from django.db import migrations, models


def gather(apps, _schema_editor):
    for sweep in apps.get_model('playground', 'OwnSweep').objects.only('done', 'guessed_s', 'taken_s'):
        sweep.standing = {'done': sweep.done, 'guessed_s': sweep.guessed_s or 0.0, 'taken_s': sweep.taken_s or 0.0}
        sweep.save(update_fields=['standing'])


class Migration(migrations.Migration):

    dependencies = [
        ('playground', '0012_sweep_cost'),
    ]

    operations = [
        migrations.AddField('ownsweep', 'standing', models.JSONField(default=dict, help_text='how far it is: sweeps.progress.SweepStanding')),
        migrations.RunPython(gather, migrations.RunPython.noop),
        migrations.RemoveField('ownsweep', 'done'),
        migrations.RemoveField('ownsweep', 'taken_s'),
        migrations.AlterField('ownsweep', 'guessed_s', models.FloatField(null=True, help_text='of one processor, before the first run has ended')),
    ]
