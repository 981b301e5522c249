"""Agreement runs of earlier code lack what the pages now draw (figures by topic, agreement on each level).

The same labels and seed give the same figures again, so the runs go and are computed anew when somebody asks.
"""

from django.db import migrations


def drop_runs(apps, schema_editor):
    apps.get_model("adjudication", "AgreementRun").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("adjudication", "0006_figures")]

    operations = [migrations.RunPython(drop_runs, migrations.RunPython.noop)]
