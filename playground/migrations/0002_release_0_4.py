"""What release 0.4 added."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models
from django.db.models.functions import Length


def measure(apps, _editor):
    """Note what the links that are there take."""
    apps.get_model("playground", "Scenario").objects.update(size_bytes=Length("body"))


class Migration(migrations.Migration):
    replaces = [
        ('playground', '0004_leases'),
        ('playground', '0005_scenario_last_seen'),
        ('playground', '0006_session_predicted'),
        ('playground', '0007_own_sweeps'),
        ('playground', '0008_help_texts'),
    ]

    dependencies = [
        ('playground', '0001_release_0_3'),
    ]

    operations = [
        migrations.CreateModel(
            name='Lease',
            fields=[
                ('session', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='lease', serialize=False, to='playground.session')),
                ('process', models.CharField(db_index=True, max_length=80)),
                ('node', models.CharField(blank=True, help_text='by which the proxy finds the process', max_length=40)),
                ('epoch', models.PositiveBigIntegerField(help_text='higher with each new owner')),
                ('expires_at', models.DateTimeField()),
            ],
        ),
        migrations.AddField('commandrecord', 'epoch', models.PositiveBigIntegerField(default=0, help_text='of the lease under which it was written')),
        migrations.AddField('scenario', 'last_seen', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
        migrations.AddField('scenario', 'size_bytes', models.PositiveIntegerField(default=0)),
        migrations.RunPython(measure, migrations.RunPython.noop),
        migrations.AddField('session', 'predicted', models.SmallIntegerField(help_text='number of the option that was locked; -1: none was, and the run may go on', null=True)),
        migrations.CreateModel(
            name='OwnSweep',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text="nobody guesses it; also the heatmap's name", max_length=40, unique=True)),
                ('visitor', models.CharField(db_index=True, max_length=32)),
                ('spec', models.JSONField(help_text='scenario, grid, and whether it is a Spark job')),
                ('cells', models.PositiveIntegerField()),
                ('done', models.PositiveIntegerField(default=0)),
                ('ended', models.BooleanField(default=False)),
                ('error', models.CharField(blank=True, max_length=300)),
                ('document', models.BinaryField(help_text='the heatmap as JSON, as sweeps.document makes it', null=True)),
                ('created', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('touched', models.DateTimeField(default=django.utils.timezone.now, help_text='when a run of it ended last')),
            ],
        ),
    ]
