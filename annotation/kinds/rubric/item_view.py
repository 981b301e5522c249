"""A question as its raters had it, and what each of them sent in addition to the grade, for those who adjudicate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.kinds.rubric.units import fetch_paragraphs, origin_word
from annotation.models import FoundTarget, Item, Judgment, Rewrite
from annotation.rubric.rewrites import pieces_of
from engines.definitions.rubric_options import read_rubric_options
from engines.text.differences import Piece
from engines.text.overlap import Overlap, overlap_with


@dataclass(frozen=True)
class QuestionView:
    """A question with its targets (title, abstract, docno), the paragraph it was made from, and its overlap."""

    item: Item
    text: str
    origin: str
    paragraph: dict[str, object] | None
    targets: list[tuple[str, str, str]]
    overlap: Overlap
    cutoff: float | None
    definition: str
    counting: str


@dataclass(frozen=True)
class RatingMore:
    """What came with one rater's grade: their values on all criteria, their rewrite, the targets they found."""

    values: list[tuple[str, int, str]]  # criterion, value, reason
    rewrite: str
    added: tuple[Piece, ...]
    found: list[str]


def fetch_question_view(pk: int) -> QuestionView:
    """Three queries: the item with its topic, its targets, its paragraph."""
    item = Item.objects.select_related("campaign", "topic").get(pk=pk)
    topic = item.topic
    if topic is None:
        raise ValueError(f"item {pk} has no topic, so it is no question")
    targets = [
        (target.document.title, target.document.abstract, target.document.docno)
        for target in topic.targets.select_related("document").order_by("pk")
    ]
    options = read_rubric_options(item.campaign.options)
    return QuestionView(
        item=item,
        text=topic.text,
        origin=origin_word(topic.source),
        paragraph=fetch_paragraphs([topic.pk]).get(topic.pk),
        targets=targets,
        overlap=overlap_with(
            topic.text, [(title, abstract) for title, abstract, _ in targets], options.overlap_definition
        ),
        cutoff=options.cutoff(topic.source),
        definition=options.overlap_definition,
        counting=options.counting,
    )


def attach_ratings(submissions: Sequence[int]) -> Mapping[int, RatingMore]:
    """What else these submissions hold, by their ids. Three queries."""
    values: dict[int, list[tuple[str, int, str]]] = {}
    judged = Judgment.objects.filter(submission__in=submissions).order_by("criterion__position", "criterion_id")
    for submission, label, value, reason in judged.values_list("submission", "criterion__label", "value", "reason"):
        values.setdefault(submission, []).append((label, value, reason))
    rewrites = {rewrite.submission_id: rewrite for rewrite in Rewrite.objects.filter(submission__in=submissions)}
    found: dict[int, list[str]] = {}
    for target in FoundTarget.objects.filter(submission__in=submissions).select_related("document"):
        found.setdefault(target.submission_id, []).append(target.document.name)
    return {
        submission: RatingMore(
            values.get(submission, []),
            rewrites[submission].text if submission in rewrites else "",
            pieces_of(rewrites[submission])[1] if submission in rewrites else (),
            found.get(submission, []),
        )
        for submission in submissions
    }
