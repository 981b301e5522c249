"""What comes with the ratings of a question: a rewrite, and further documents that answer it."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.prepared_statements import run
from annotation.assignment.participation import Participation
from annotation.labelling.answers import AnswerInput, Invalid
from engines.text.questions import holds_markup

FIND = (
    "SELECT d.id, d.docno FROM corpus_document d WHERE d.collection_id = %(collection)s AND d.docno = ANY(%(docnos)s)"
)
# A rewrite that equals the question is not stored, nor is a target that is known already.
STORE = """
WITH judged AS (
  SELECT s.id, t.id AS topic_id, t.text FROM annotation_submission s
  JOIN annotation_assignment a ON a.id = s.assignment_id
  JOIN annotation_item i ON i.id = a.item_id
  JOIN corpus_topic t ON t.id = i.topic_id
  WHERE s.uuid = %(uuid)s
), rewritten AS (
  INSERT INTO annotation_rewrite (submission_id, original, text)
  SELECT id, text, %(rewrite)s::text FROM judged WHERE %(rewrite)s::text <> '' AND text <> %(rewrite)s::text
)
INSERT INTO annotation_foundtarget (submission_id, document_id)
SELECT judged.id, d.id FROM judged, unnest(%(documents)s::bigint[]) AS d(id)
WHERE NOT EXISTS (SELECT FROM corpus_target g WHERE g.topic_id = judged.topic_id AND g.document_id = d.id)
"""
STORED = """
SELECT coalesce(r.text, '') AS rewrite, coalesce(array_agg(d.docno) FILTER (WHERE d.id IS NOT NULL), '{}') AS found
FROM annotation_submission s
LEFT JOIN annotation_rewrite r ON r.submission_id = s.id
LEFT JOIN annotation_foundtarget f ON f.submission_id = s.id
LEFT JOIN corpus_document d ON d.id = f.document_id
WHERE s.uuid = %(uuid)s GROUP BY r.text
"""


@dataclass(frozen=True, slots=True)
class Extras:
    """A rewrite ("": none) and the ids of documents found."""

    rewrite: str
    documents: list[int]


def check_extras(participation: Participation, entry: AnswerInput) -> Extras | None:
    """What is to be stored in addition to the answers, None for nothing. Errors: Invalid."""
    if not entry.rewrite.strip() and not entry.found:
        return None
    if not participation.labelling.takes_extras:
        field = "rewrite" if entry.rewrite.strip() else "found"
        raise Invalid(field, _("This campaign rates no questions: it takes neither rewrites nor further targets."))
    if holds_markup(entry.rewrite):
        raise Invalid("rewrite", _("A question is plain text. Write it without HTML tags or other markup."))
    return Extras(entry.rewrite.strip(), _documents(participation, entry.found))


def store_extras(uuid: UUID, extras: Extras) -> None:
    """Keep them with the submission of this uuid, which was stored just now."""
    run(STORE, {"uuid": uuid, "rewrite": extras.rewrite, "documents": extras.documents})


def stored_extras(uuid: UUID) -> tuple[str, tuple[str, ...]]:
    """Rewrite and docnos found that were stored with a submission."""
    rows = run(STORED, {"uuid": uuid})
    return (rows[0].rewrite, tuple(rows[0].found)) if rows else ("", ())


def has_same_extras(entry: AnswerInput) -> bool:
    """Whether all that is stored under the uuid is sent again; what was not stored the first time may come again."""
    rewrite, found = stored_extras(entry.uuid)
    return rewrite in ("", entry.rewrite.strip()) and set(found) <= set(entry.found)


def _documents(participation: Participation, docnos: Sequence[str]) -> list[int]:
    if not docnos:
        return []
    known = {row.docno: row.id for row in run(FIND, {"collection": participation.collection, "docnos": list(docnos)})}
    missing = [docno for docno in docnos if docno not in known]
    if missing:
        raise Invalid("found", _("There is no document {docno} in this collection.").format(docno=missing[0]))
    return [known[docno] for docno in docnos]
