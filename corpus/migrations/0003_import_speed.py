from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import migrations, models
from django.db.models.functions import Left

WHOLE_ROWS = """
ALTER TABLE corpus_document SET (toast_tuple_target = 4080);
ALTER TABLE corpus_document ALTER COLUMN search SET STORAGE EXTERNAL;
"""


class Migration(migrations.Migration):
    dependencies = [("corpus", "0002_job_of_the_command_line")]

    operations = [
        migrations.RemoveIndex("document", "document_search"),
        migrations.RemoveField("document", "search"),
        migrations.AddField(
            "document",
            "search",
            models.GeneratedField(
                expression=SearchVector(Left("title", 5_000), weight="A", config="english")
                + SearchVector(Left("abstract", 100_000), weight="B", config="english"),
                output_field=SearchVectorField(),
                db_persist=True,
            ),
        ),
        migrations.AddIndex("document", GinIndex(fields=["search"], name="document_search")),
        migrations.AlterField(
            "document",
            "collection",
            models.ForeignKey("corpus.collection", models.CASCADE, related_name="documents", db_index=False),
        ),
        migrations.RunSQL(WHOLE_ROWS, migrations.RunSQL.noop),
        migrations.AddField("importrun", "skips", models.JSONField(default=dict)),
    ]
