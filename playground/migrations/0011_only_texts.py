import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('playground', '0010_scenarios_once'),
    ]

    operations = [
        *(
            migrations.AlterField(each, 'text', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='playground.scenariotext'))
            for each in ('scenario', 'session')
        ),
        migrations.RemoveField('scenario', 'body'),
        migrations.RemoveField('session', 'scenario'),
    ]
