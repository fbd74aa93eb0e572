"""The tables of release 0.3."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ('playground', '0001_initial'),
        ('playground', '0002_scenario_story'),
        ('playground', '0003_session_visitor'),
    ]

    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name='Scenario',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('short_id', models.CharField(max_length=16, unique=True)),
                ('slug', models.SlugField(max_length=60, null=True, unique=True)),
                ('title', models.CharField(max_length=200)),
                ('body', models.TextField(help_text='canonical JSON')),
                ('digest', models.CharField(blank=True, help_text='of the run at until_us; empty if not known', max_length=128)),
                ('engine_version', models.CharField(max_length=32)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('story', models.JSONField(default=None, help_text='what pages show around the run, as in the scenario file', null=True)),
            ],
            options={'ordering': ('slug', '-created')},
        ),
        migrations.CreateModel(
            name='Session',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(max_length=32, unique=True)),
                ('scenario', models.JSONField()),
                ('engine_version', models.CharField(max_length=32)),
                ('reached_us', models.BigIntegerField(default=0, help_text='virtual time that the run is known to have reached')),
                ('digest', models.CharField(blank=True, help_text='of the run at reached_us; empty if not known', max_length=128)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('last_seen', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('visitor', models.CharField(blank=True, db_index=True, help_text='the browser that began it', max_length=32)),
                ('origin', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='playground.scenario')),
            ],
            options={'ordering': ('-created',)},
        ),
        migrations.CreateModel(
            name='CommandRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sequence', models.PositiveIntegerField()),
                ('at_us', models.BigIntegerField()),
                ('command', models.JSONField()),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='commands', to='playground.session')),
            ],
            options={'ordering': ('session', 'sequence'), 'constraints': [models.UniqueConstraint(fields=('session', 'sequence'), name='one_command_per_sequence')]},
        ),
    ]
