import django.db.models.deletion
import django.db.models.expressions
from django.db import migrations, models

# Before, LitSearch's full texts were left out, and those of JSON Lines lay among the further fields of documents.
MOVE = r"""
WITH found AS (
  SELECT id, coalesce(nullif(btrim(extra->>'full_text'), ''), btrim(extra->>'full_paper')) AS text FROM corpus_document
  WHERE jsonb_typeof(extra->'full_text') = 'string' OR jsonb_typeof(extra->'full_paper') = 'string'
), moved AS (
  INSERT INTO corpus_fulltext (document_id, text, words)
  SELECT id, text, regexp_count(text, '\S+') FROM found WHERE text <> ''
)
UPDATE corpus_document d SET extra = extra - (
  ARRAY(SELECT key FROM jsonb_each(extra) WHERE key IN ('full_text', 'full_paper') AND jsonb_typeof(value) = 'string'))
FROM found WHERE d.id = found.id
"""
BACK = """
UPDATE corpus_document d SET extra = extra || jsonb_build_object('full_text', f.text)
FROM corpus_fulltext f WHERE f.document_id = d.id
"""


class Migration(migrations.Migration):
    dependencies = [("corpus", "0007_import_samples")]

    operations = [
        migrations.CreateModel(
            name="FullText",
            fields=[
                (
                    "document",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="full_text",
                        serialize=False,
                        to="corpus.document",
                    ),
                ),
                ("text", models.TextField()),
                ("words", models.PositiveIntegerField()),
                (
                    "digest",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.Func(
                            models.F("text"), models.Value(0), function="hashtextextended"
                        ),
                        output_field=models.BigIntegerField(),
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("text", ""), _negated=True), name="full_text_not_empty")
                ],
            },
        ),
        migrations.RunSQL(MOVE, BACK),
    ]
