from django.db import migrations, models

# What is resampled has one name at every door.
FORWARD = """
UPDATE adjudication_agreementrun
SET parameters = (parameters - 'unit') || jsonb_build_object('cluster', parameters->'unit')
WHERE parameters ? 'unit'
"""
BACK = """
UPDATE adjudication_agreementrun
SET parameters = (parameters - 'cluster') || jsonb_build_object('unit', parameters->'cluster')
WHERE parameters ? 'cluster'
"""


class Migration(migrations.Migration):
    """Verdicts have a hash of their own: a count of votes leaves figures of people and machines as they are."""

    dependencies = [("adjudication", "0003_methods_of_verdicts")]
    operations = [
        migrations.RunSQL(FORWARD, BACK),
        migrations.AddField(
            model_name="agreementrun", name="verdicts_hash", field=models.CharField(blank=True, max_length=64)
        ),
    ]
