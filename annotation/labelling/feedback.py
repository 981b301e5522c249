"""What people in training learn after each answer: the known answer, and why it is right."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _

from accounts.prepared_statements import run
from annotation.assignment.participation import Participation

# Only what was answered once: an answer taken back has shown its known answer already.
KNOWN = """
SELECT a.id, c.key, c.label, (given.answers::jsonb ->> c.key)::int AS given, k.value AS known,
  l.label AS word, k.explanation
FROM annotation_assignment a
JOIN annotation_knownanswer k ON k.item_id = a.item_id
JOIN annotation_criterion c ON c.id = k.criterion_id
JOIN annotation_level l ON l.criterion_id = k.criterion_id AND l.value = k.value
JOIN LATERAL (
  SELECT s.answers FROM annotation_submission s
  WHERE s.assignment_id = a.id AND s.outcome = 'counted' AND s.kind = 'answer' ORDER BY s.id DESC LIMIT 1
) given ON true
WHERE a.id = ANY(%(ids)s) AND a.annotator_id = %(annotator)s
ORDER BY a.id, c.position, c.id
"""


def fetch_feedback(participation: Participation, assignments: Iterable[int]) -> dict[int, list[dict[str, Any]]]:
    """By assignment of this annotator that was answered: each known criterion with the value given, the known one, its
    word and the explanation. {} in campaigns without feedback, without asking the database."""
    ids = list(assignments)
    if not participation.purpose.gives_feedback or not ids:
        return {}
    found: dict[int, list[dict[str, Any]]] = {}
    for row in run(KNOWN, {"ids": ids, "annotator": participation.annotator}):
        fact = {"label": row.label, "given": row.given, "known": row.known, "word": row.word}
        fact |= {"criterion": row.key, "right": row.given == row.known, "explanation": row.explanation}
        found.setdefault(row.id, []).append(fact)
    return found


def in_words(facts: Iterable[dict[str, Any]], *, many: bool) -> str:
    """Feedback on one answer in a line: “Not right: the known answer is 1 Partly. The abstract …”."""
    return " ".join(_in_words(fact, named=many) for fact in facts)


def _in_words(fact: dict[str, Any], *, named: bool) -> str:
    begin = f"{fact['label']}: " if named else ""
    known = f"{fact['known']} {fact['word']}" if fact["word"] != str(fact["known"]) else str(fact["known"])
    judged = (_("right, {known}") if fact["right"] else _("not right, the known answer is {known}")).format(known=known)
    words = f"{begin}{judged}." if begin else f"{judged[0].upper()}{judged[1:]}."
    return f"{words} {fact['explanation']}".rstrip()
