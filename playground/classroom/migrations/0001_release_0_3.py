"""The tables of release 0.3."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [('classroom', '0001_initial'), ('classroom', '0002_vote_ends_at'), ('classroom', '0003_leaving')]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('exercises', '0001_release_0_3'),
        ('playground', '0001_release_0_3'),
    ]

    operations = [
        migrations.CreateModel(
            name='Farewell',
            fields=[
                ('teacher', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='farewell', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='Classroom',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(max_length=32, unique=True)),
                ('name', models.CharField(max_length=80)),
                ('join_code', models.CharField(max_length=16, unique=True)),
                ('joining', models.BooleanField(default=True, help_text='whether new students may join')),
                ('units', models.JSONField(default=list, help_text='slugs of the units and single exercises that are handed out')),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('keep_until', models.DateField(db_index=True)),
                ('frozen', models.BooleanField(default=False)),
                ('pushed_at', models.DateTimeField(null=True)),
                ('leaving_at', models.DateTimeField(db_index=True, help_text='when it was deleted', null=True)),
                ('pushed', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='playground.scenario')),
                ('teacher', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='classes', to=settings.AUTH_USER_MODEL)),
            ],
            options={'ordering': ('-created',)},
        ),
        migrations.CreateModel(
            name='Student',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('nickname', models.CharField(max_length=24)),
                ('folded', models.CharField(help_text='the nickname as it is compared', max_length=48)),
                ('joined', models.DateTimeField(auto_now_add=True)),
                ('classroom', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='students', to='classroom.classroom')),
                ('learner', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='student', to='exercises.learner')),
            ],
            options={'ordering': ('folded',)},
        ),
        migrations.CreateModel(
            name='Vote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('exercise', models.CharField(max_length=60)),
                ('stage', models.CharField(default='first', max_length=10)),
                ('opened', models.DateTimeField(auto_now_add=True)),
                ('ends_at', models.DateTimeField(help_text='when the open round closes by itself', null=True)),
                ('classroom', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='votes', to='classroom.classroom')),
            ],
            options={'ordering': ('-opened',)},
        ),
        migrations.CreateModel(
            name='Ballot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('second', models.BooleanField(default=False)),
                ('answer', models.JSONField()),
                ('tally', models.CharField(max_length=255)),
                ('right', models.BooleanField()),
                ('student', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='classroom.student')),
                ('vote', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ballots', to='classroom.vote')),
            ],
            options={'ordering': ('vote', 'pk')},
        ),
        migrations.AddConstraint('student', models.UniqueConstraint(fields=('classroom', 'folded'), name='one_nickname_in_a_class')),
        migrations.AddConstraint('ballot', models.UniqueConstraint(fields=('vote', 'student', 'second'), name='one_ballot_in_a_round')),
    ]
