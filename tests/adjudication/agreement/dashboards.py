"""Pages of figures for the tests."""

import re
from html import unescape

from adjudication.models import Method, Verdict
from annotation.models import Assignment, AssignmentState, Item, Submission, SubmissionKind
from tests.adjudication.agreement.test_agreement import agree, noisy_labels
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign

TAGS = re.compile(r"<[^>]+>")


def text_of(html: str) -> str:
    return " ".join(unescape(TAGS.sub(" ", html)).split())


def main_of(page: str) -> str:
    return page.split("<main")[1].split("</main>", maxsplit=1)[0]


def skip(built: Built, item: Item, name: str, reason: str) -> None:
    """Turn the annotator's finished assignment into a skipped one."""
    assignment = Assignment.objects.get(item=item, annotator=built.annotators[name], repeat=0)
    assignment.judgments.all().delete()
    Assignment.objects.filter(pk=assignment.pk).update(state=AssignmentState.SKIPPED, slot=None)
    Submission.objects.create(
        uuid="6f1c3a52-0a6c-4c53-9c8a-0d6f3f1f2a11",
        assignment=assignment,
        kind=SubmissionKind.SKIP,
        reason=reason,
        received_at=AT,
    )


def build_everything() -> Built:
    """Everything there is a number for: people, two machine runs, verdicts of all sorts, repeats, a skip, a tie."""
    labels: list[list[int | None]] = [list(row) for row in noisy_labels(24, 4)]
    labels[5] = [0, 1, 1, 1]
    found = build_campaign(labels, people=("ana", "ben"), topics=2, machines=[("m-1", "m", 1), ("m-2", "m", 2)])
    for item in found.items[:3]:
        found.label(item, "ana", 1, repeat=1)
    skip(found, found.items[0], "ben", "no abstract")
    vote(found)
    Verdict.objects.filter(item=found.items[1]).update(
        method=Method.BY_HAND, value=1, probability=None, decided_by=found.people["adjudicator"], decided_at=AT
    )
    agree(found)
    return found
