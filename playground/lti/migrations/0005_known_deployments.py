"""Deployments that were launched from before are known: they were let in without being asked for."""

from django.db import migrations


def let_in(apps, _schema_editor):
    apps.get_model("lti_tool", "LtiDeployment").objects.update(is_active=True)


class Migration(migrations.Migration):
    dependencies = [("lti", "0004_log_ins"), ("lti_tool", "0008_ltideployment_pns_url_and_more")]
    operations = [migrations.RunPython(let_in, migrations.RunPython.noop)]
