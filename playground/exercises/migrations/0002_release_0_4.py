"""What release 0.4 added."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ('exercises', '0005_made'),
        ('exercises', '0006_work_told'),
        ('exercises', '0007_work_statement_sent'),
        ('exercises', '0008_help_texts'),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('exercises', '0001_release_0_3'),
    ]

    operations = [
        migrations.CreateModel(
            name='Made',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.CharField(max_length=60, unique=True)),
                ('content', models.JSONField()),
                ('created', models.DateTimeField()),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='made', to=settings.AUTH_USER_MODEL)),
            ],
            options={'ordering': ('-created',)},
        ),
        migrations.AddField('work', 'statement_sent', models.BooleanField(default=False, help_text='an xAPI store was sent that it is done')),
    ]
