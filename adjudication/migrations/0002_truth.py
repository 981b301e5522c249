"""What Django's constraints cannot say: a verdict's (criterion, value) is a level of that criterion's scale."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("adjudication", "0001_initial"), ("annotation", "0002_truth")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE adjudication_verdict ADD CONSTRAINT verdict_value_on_scale"
            " FOREIGN KEY (criterion_id, value) REFERENCES annotation_level (criterion_id, value)",
            "ALTER TABLE adjudication_verdict DROP CONSTRAINT verdict_value_on_scale",
        ),
    ]
