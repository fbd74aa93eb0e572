"""Invitations, recovery codes, co-teachers, lessons with an end, blocked nicknames."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('classroom', '0005_login'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Recovery',
            fields=[
                ('teacher', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='recovery', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('trace', models.CharField(help_text='keyed hash of the code', max_length=64)),
            ],
        ),
        migrations.AddField(
            model_name='classroom',
            name='blocked',
            field=models.JSONField(default=list, help_text='folded nicknames and browsers that may not join again'),
        ),
        migrations.AddField(
            model_name='classroom',
            name='co_teachers',
            field=models.ManyToManyField(related_name='shared_classes', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='classroom',
            name='lesson_began',
            field=models.DateTimeField(default=django.utils.timezone.now, help_text='what the next report begins with'),
        ),
        migrations.AddField(
            model_name='classroom',
            name='lesson_ended',
            field=models.DateTimeField(help_text='when the lesson was ended, until there is another one', null=True),
        ),
        migrations.AddField(
            model_name='classroom',
            name='pushed_by',
            field=models.CharField(blank=True, help_text='the teacher who pushed it', max_length=150),
        ),
        migrations.AlterField(
            model_name='classroom',
            name='units',
            field=models.JSONField(default=list, help_text='slugs of the units and single exercises that are handed out'),
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('trace', models.CharField(help_text='keyed hash of the code', max_length=64, unique=True)),
                ('until', models.DateTimeField(db_index=True)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to=settings.AUTH_USER_MODEL)),
            ],
        ),
    ]
