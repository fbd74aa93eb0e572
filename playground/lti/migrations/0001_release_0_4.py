"""What is kept of a launch: a learner's number on the platform, and where its score goes."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ('lti', '0001_seats'),
        ('lti', '0002_placement_readable'),
        ('lti', '0003_help_texts'),
        ('lti', '0004_log_ins'),
        ('lti', '0005_known_deployments'),
    ]

    initial = True

    dependencies = [
        ('exercises', '0002_release_0_4'),
        ('lti_tool', '0008_ltideployment_pns_url_and_more'),
    ]

    operations = [
        migrations.CreateModel(
            name='LogIn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(max_length=64, unique=True)),
                ('nonce', models.CharField(max_length=64)),
                ('browser', models.CharField(help_text='of the secret that the browser shows which began', max_length=64)),
                ('at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('registration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lti_tool.ltiregistration')),
            ],
        ),
        migrations.CreateModel(
            name='Seat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject', models.CharField(help_text='how the platform calls the person: an opaque text', max_length=255)),
                ('learner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='exercises.learner')),
                ('registration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lti_tool.ltiregistration')),
            ],
        ),
        migrations.CreateModel(
            name='Placement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('target', models.CharField(help_text='an exercise or a unit', max_length=60)),
                ('line_item', models.URLField(max_length=1000)),
                ('sent', models.FloatField(help_text='the score that the platform has taken', null=True)),
                ('readable', models.BooleanField(default=False, help_text='the platform returns what stands in the gradebook when it is asked')),
                ('seat', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='placements', to='lti.seat')),
            ],
        ),
        migrations.AddConstraint('seat', models.UniqueConstraint(fields=('registration', 'subject'), name='one_seat_for_each_person')),
        migrations.AddConstraint('placement', models.UniqueConstraint(fields=('seat', 'line_item'), name='one_placement_for_each_line')),
    ]
