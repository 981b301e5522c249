"""What stands on imported judgments in this app: verdicts by their votes, and agreement figures made of them."""

from collections.abc import Iterator

from django.db import connection

from adjudication.models import AgreementRun
from annotation.models import Submission
from corpus.imports.undoing import Standing
from corpus.models import ImportRun

VERDICTS = """
SELECT count(DISTINCT v.id) FROM annotation_submission s JOIN annotation_assignment a ON a.id = s.assignment_id
JOIN adjudication_verdict v ON v.item_id = a.item_id
CROSS JOIN LATERAL jsonb_array_elements(v.votes) vote
WHERE s.imported_in_id = %s AND (vote->>0)::bigint = a.annotator_id
"""


def standing_on_judgments(run: ImportRun) -> Iterator[Standing]:
    """Verdicts that counted one of its labels, and agreement computed since then in its campaign."""
    with connection.cursor() as cursor:
        cursor.execute(VERDICTS, [run.pk])
        yield "verdicts that counted its labels", cursor.fetchone()[0]
    first = Submission.objects.filter(imported_in=run).order_by("pk").values_list("pk", flat=True).first()
    computed = AgreementRun.objects.filter(campaign=run.parameters.get("campaign"), snapshot__gte=first or 0)
    yield "agreement figures made of its labels", computed.count()
