"""What is kept of a launch: a learner's number on the platform, and where its score goes."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('exercises', '0006_work_told'),
        ('lti_tool', '0008_ltideployment_pns_url_and_more'),
    ]

    operations = [
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
                ('seat', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='placements', to='lti.seat')),
            ],
        ),
        migrations.AddConstraint(
            model_name='seat',
            constraint=models.UniqueConstraint(fields=('registration', 'subject'), name='one_seat_for_each_person'),
        ),
        migrations.AddConstraint(
            model_name='placement',
            constraint=models.UniqueConstraint(fields=('seat', 'line_item'), name='one_placement_for_each_line'),
        ),
    ]
