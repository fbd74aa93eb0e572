"""The column says what it notes: that an xAPI statement was sent."""

from django.db import migrations


class Migration(migrations.Migration):
    """Rename the column."""

    dependencies = (("exercises", "0006_work_told"),)

    operations = (migrations.RenameField("work", "told", "statement_sent"),)
