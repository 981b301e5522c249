"""Corrections whose decision was withdrawn, or replaced on the adjudication screen, are marked as undone."""

from django.db import migrations

END = """
UPDATE adjudication_machinecorrection c SET undone_at = greatest(c.given_at, coalesce(v.decided_at, now()))
FROM adjudication_verdict v
WHERE v.item_id = c.item_id AND v.criterion_id = c.criterion_id AND c.undone_at IS NULL
  AND v.decided_at IS DISTINCT FROM c.given_at
"""


class Migration(migrations.Migration):
    dependencies = [("adjudication", "0010_machine_corrections")]

    operations = [migrations.RunSQL(END, migrations.RunSQL.noop)]
