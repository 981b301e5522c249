import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

STATES = [("queued", "waiting"), ("running", "running"), ("done", "done"), ("failed", "failed"), ("cancelled", "cancelled")]
# Vectors lie as they are: ranking reads them, and compressing them cost more than the space.
# PostgreSQL refuses a row whose vector passes 1 MB, whatever its words are: hence left().
ENTRIES = """
ALTER TABLE corpus_searchentry SET (toast_tuple_target = 4080);
ALTER TABLE corpus_searchentry ALTER COLUMN vector SET STORAGE EXTERNAL;
ALTER TABLE corpus_searchentry ADD CONSTRAINT search_entry_of_document
  FOREIGN KEY (document_id) REFERENCES corpus_document (id) ON DELETE CASCADE;
INSERT INTO corpus_searchentry (document_id, collection_id, vector) SELECT id, collection_id, search FROM corpus_document;

CREATE FUNCTION corpus_search_vector(title text, abstract text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN setweight(to_tsvector('english'::regconfig, left(title, 5000)), 'A')
  || setweight(to_tsvector('english'::regconfig, left(abstract, 100000)), 'B');
"""
# A transaction that sets litmus.search_later leaves entries to a job. It takes away those of texts that it changes, so
# that no entry is ever of another text.
TRIGGERS = """
CREATE FUNCTION corpus_enter_into_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('litmus.search_later', true) = 'on' THEN
    DELETE FROM corpus_searchentry WHERE document_id = NEW.id;
  ELSE
    INSERT INTO corpus_searchentry (document_id, collection_id, vector)
    VALUES (NEW.id, NEW.collection_id, corpus_search_vector(NEW.title, NEW.abstract))
    ON CONFLICT (document_id) DO UPDATE SET vector = excluded.vector;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER document_enters_search AFTER INSERT ON corpus_document FOR EACH ROW
WHEN (current_setting('litmus.search_later', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION corpus_enter_into_search();
CREATE TRIGGER search_follows_document AFTER UPDATE OF title, abstract ON corpus_document FOR EACH ROW
WHEN (OLD.title IS DISTINCT FROM NEW.title OR OLD.abstract IS DISTINCT FROM NEW.abstract)
EXECUTE FUNCTION corpus_enter_into_search();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("corpus", "0003_person_erasure"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SearchEntry",
            fields=[
                (
                    "document",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="corpus.document",
                    ),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="corpus.collection",
                    ),
                ),
                ("vector", django.contrib.postgres.search.SearchVectorField()),
            ],
        ),
        migrations.CreateModel(
            name="Indexing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("state", models.CharField(choices=STATES, default="queued", max_length=10)),
                ("requested_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("cancel_requested_at", models.DateTimeField(blank=True, null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("done", models.BigIntegerField(default=0)),
                ("total", models.BigIntegerField(default=0)),
                ("step", models.CharField(blank=True, max_length=200)),
                ("reason", models.TextField(blank=True)),
                ("parameters", models.JSONField(blank=True, default=dict)),
                ("seed", models.BigIntegerField(blank=True, null=True)),
                ("code_version", models.CharField(blank=True, max_length=64)),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="indexings", to="corpus.collection"
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.RunSQL(ENTRIES, migrations.RunSQL.noop),
        migrations.AddIndex(
            "searchentry",
            django.contrib.postgres.indexes.GinIndex(fields=["vector"], name="search_entry_vector"),
        ),
        migrations.RemoveIndex("document", "document_search"),
        migrations.RemoveField("document", "search"),
        migrations.RunSQL(TRIGGERS, migrations.RunSQL.noop),
    ]
