"""Importing documents."""

from django.db import connection

from corpus.documents.jobs.documents import FIELDS, load_documents
from corpus.imports.forms import DocumentImportForm
from corpus.imports.jobs.undoing import Undoing
from corpus.imports.registry import Importer, at_once
from corpus.models import Citation, CitationMention, Document, ImportRun
from corpus.questions.jobs.mentions import link_mentions

_NAMES = ", ".join(FIELDS)
RESTORE_DOCUMENTS = f"""
UPDATE corpus_document d SET ({_NAMES}) = ({", ".join(f"p.{name}" for name in FIELDS)})
FROM corpus_replacedrecord r CROSS JOIN LATERAL jsonb_populate_record(NULL::corpus_document, r.before) p
WHERE r.import_run_id = %s AND d.id = r.row_id
"""


def _restore(run: ImportRun) -> None:
    with connection.cursor() as cursor:
        cursor.execute(RESTORE_DOCUMENTS, [run.pk])
    run.replaced.all().delete()
    if CitationMention.objects.filter(collection=run.collection_id).exists():
        link_mentions(run.collection_id)


DOCUMENTS = Importer(
    name="documents",
    label="documents",
    unit="documents",
    title="Import documents",
    about="Records of the literature. Known docnos are updated, new ones are added, nothing is removed.",
    reading=at_once(load_documents),
    form=DocumentImportForm,
    target="document_list",
    undoing=Undoing(Document, ((Citation, "citing"),), restores=True, after=_restore),
)
