from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('exercises', '0008_help_texts'),
    ]

    operations = [
        migrations.AddField(
            model_name='learner',
            name='group',
            field=models.CharField(blank=True, db_index=True, default='', help_text='the class, or trace of the address where it began', max_length=32),
            preserve_default=False,
        ),
    ]
