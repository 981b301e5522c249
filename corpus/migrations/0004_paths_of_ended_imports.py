"""Imports that have ended no longer say where on the server their files lay; dry runs may still be followed up."""

from django.db import migrations

FORGET = """
UPDATE corpus_importrun SET files = (
  SELECT coalesce(jsonb_agg(file - 'path' ORDER BY place), '[]')
  FROM jsonb_array_elements(files) WITH ORDINALITY AS each (file, place)
)
WHERE NOT dry_run AND state IN ('done', 'failed', 'cancelled') AND files @? '$[*].path'
"""


class Migration(migrations.Migration):
    dependencies = [("corpus", "0003_prompts_for_reranking")]

    operations = [migrations.RunSQL(FORGET, migrations.RunSQL.noop)]
