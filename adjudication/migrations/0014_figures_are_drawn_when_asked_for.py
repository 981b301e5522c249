"""Figures for papers are drawn from the stored results when somebody downloads them: their files and the choice go."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("adjudication", "0013_place_of_releases")]

    operations = [
        migrations.DeleteModel("AgreementFigure"),
        migrations.RunSQL(
            "UPDATE adjudication_agreementrun SET parameters = parameters - 'figures' WHERE parameters ? 'figures'",
            migrations.RunSQL.noop,
        ),
    ]
