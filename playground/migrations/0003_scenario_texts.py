"""Each scenario is stored once, as a text that sessions and links name."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [('playground', '0009_scenario_texts')]

    dependencies = [
        ('playground', '0002_release_0_4'),
    ]

    operations = [
        migrations.CreateModel(
            name='ScenarioText',
            fields=[
                ('sha256', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('packed', models.BinaryField(help_text='canonical JSON without a digest, compressed')),
                ('size_bytes', models.PositiveIntegerField(help_text='of what is packed')),
            ],
        ),
        migrations.AddField('scenario', 'text', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='playground.scenariotext')),
        migrations.AddField('session', 'text', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='playground.scenariotext')),
        migrations.AddField('session', 'recorded', models.CharField(blank=True, default='', help_text="digest of the scenario's run at its end; empty if not known", max_length=128), preserve_default=False),
        migrations.AddField('session', 'record_bytes', models.PositiveIntegerField(default=0, help_text='of its commands, as they are charged: in whole blocks')),
        migrations.AddField('scenario', 'visitor', models.CharField(blank=True, db_index=True, default='', help_text='the browser that made a link of it first', max_length=32), preserve_default=False),
        migrations.AddField('ownsweep', 'size_bytes', models.PositiveIntegerField(default=0, help_text='of spec and document')),
        migrations.AddField('scenario', 'group', models.CharField(blank=True, db_index=True, default='', help_text='its class, or trace of its address', max_length=32), preserve_default=False),
        migrations.AddField('session', 'group', models.CharField(blank=True, db_index=True, default='', help_text='its class, or trace of its address', max_length=32), preserve_default=False),
        migrations.AddField('ownsweep', 'group', models.CharField(blank=True, db_index=True, default='', help_text='its class, or trace of its address', max_length=32), preserve_default=False),
    ]
