"""What release 0.4 added."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [('classroom', '0004_student_visitor'), ('classroom', '0005_login'), ('classroom', '0006_teaching')]

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('classroom', '0001_release_0_3'),
    ]

    operations = [
        migrations.AddField('student', 'visitor', models.CharField(blank=True, default='', help_text='the browser that was seen last: a frozen class holds its sessions', max_length=32), preserve_default=False),
        migrations.CreateModel(
            name='Login',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('trace', models.CharField(help_text='hash of the number in the cookie', max_length=64, unique=True)),
                ('begun', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('teacher', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='logins', to=settings.AUTH_USER_MODEL)),
            ],
            options={'ordering': ('-begun',)},
        ),
        migrations.CreateModel(
            name='Recovery',
            fields=[
                ('teacher', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='recovery', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('trace', models.CharField(help_text='keyed hash of the code', max_length=64)),
            ],
        ),
        migrations.AddField('classroom', 'blocked', models.JSONField(default=list, help_text='folded nicknames and browsers that may not join again')),
        migrations.AddField('classroom', 'co_teachers', models.ManyToManyField(related_name='shared_classes', to=settings.AUTH_USER_MODEL)),
        migrations.AddField('classroom', 'lesson_began', models.DateTimeField(default=django.utils.timezone.now, help_text='what the next report begins with')),
        migrations.AddField('classroom', 'lesson_ended', models.DateTimeField(help_text='when the lesson was ended, until there is another one', null=True)),
        migrations.AddField('classroom', 'pushed_by', models.CharField(blank=True, help_text='the teacher who pushed it', max_length=150)),
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
