"""Tests before and after lessons, and exams."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [('classroom', '0007_papers')]

    dependencies = [
        ('classroom', '0002_release_0_4'),
    ]

    operations = [
        migrations.CreateModel(
            name='ClassPaper',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(help_text='before, after or exam', max_length=10)),
                ('exercises', models.JSONField(help_text='slugs of the exercises that are asked, in order')),
                ('opened', models.DateTimeField(auto_now_add=True)),
                ('ends_at', models.DateTimeField(help_text='when it ends by itself', null=True)),
                ('closed', models.BooleanField(default=False, help_text='whether the teacher ended it')),
                ('classroom', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='papers', to='classroom.classroom')),
            ],
            options={'ordering': ('-opened', '-pk')},
        ),
        migrations.CreateModel(
            name='PaperAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('exercise', models.CharField(max_length=60)),
                ('variant', models.PositiveIntegerField()),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('tally', models.CharField(max_length=255)),
                ('right', models.BooleanField()),
                ('shown', models.JSONField(default=list, help_text='names of the misconceptions that the answer shows')),
                ('paper', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='classroom.classpaper')),
                ('student', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='classroom.student')),
            ],
            options={'ordering': ('paper', 'pk'), 'constraints': [models.UniqueConstraint(fields=('paper', 'student', 'exercise'), name='one_answer_to_each_question')]},
        ),
    ]
