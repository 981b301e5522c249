"""Importing documents."""

from django.db import connection

from corpus.documents.storing import FIELDS, load_documents
from corpus.imports.forms import DocumentImportForm
from corpus.imports.registry import Importer, at_once
from corpus.imports.undoing import Undoing
from corpus.models import Citation, CitationMention, Document, FullText, ImportRun
from corpus.questions.mention_storing import link_mentions

_NAMES = ", ".join(FIELDS)
RESTORE_DOCUMENTS = f"""
UPDATE corpus_document d SET ({_NAMES}) = ({", ".join(f"p.{name}" for name in FIELDS)})
FROM corpus_replacedrecord r CROSS JOIN LATERAL jsonb_populate_record(NULL::corpus_document, r.before) p
WHERE r.import_run_id = %s AND d.id = r.row_id
"""
# Of those documents alone whose full text the import gave or took.
REMOVE_FULL_TEXTS = """
DELETE FROM corpus_fulltext f USING corpus_replacedrecord r
WHERE r.import_run_id = %s AND f.document_id = r.row_id AND r.before ? 'full_text'
"""
RESTORE_FULL_TEXTS = r"""
INSERT INTO corpus_fulltext (document_id, text, words)
SELECT row_id, before->>'full_text', regexp_count(before->>'full_text', '\S+') FROM corpus_replacedrecord
WHERE import_run_id = %s AND before->>'full_text' <> ''
"""


def _restore(run: ImportRun) -> None:
    with connection.cursor() as cursor:
        for statement in (RESTORE_DOCUMENTS, REMOVE_FULL_TEXTS, RESTORE_FULL_TEXTS):
            cursor.execute(statement, [run.pk])
    run.replaced.all().delete()
    if CitationMention.objects.filter(collection=run.collection_id).exists():
        link_mentions(run.collection_id)


DOCUMENTS = Importer(
    name="documents",
    label="documents",
    unit="documents",
    title="Import documents",
    about="Bibliographic records. Known docnos are updated, new ones are added, nothing is removed.",
    reading=at_once(load_documents),
    form=DocumentImportForm,
    target="document_list",
    undoing=Undoing(Document, ((Citation, "citing"), (FullText, "document")), restores=True, after=_restore),
)
