"""Where a question came from: the paragraph, the answer of the model, the prompt. Not for annotators beyond the
paragraph with its target marks, which the rubric screen shows them."""

from dataclasses import dataclass

from corpus.models import CitationMention, GeneratedQuestion, GenerationReply, MentionReference, PromptTemplate, Topic
from corpus.queries.mentions import Piece, pieces_of


@dataclass(frozen=True)
class Origin:
    """A topic's origin. `pieces` are the paragraph with the markers of its targets told apart; `references` all that
    the paragraph cites, `targets` those the question names."""

    question: GeneratedQuestion
    mention: CitationMention
    pieces: list[Piece]
    references: list[MentionReference]
    targets: list[MentionReference]
    reply: GenerationReply
    template: PromptTemplate


def fetch_origin(topic: Topic) -> Origin | None:
    """The origin of a generated question, or None for a topic of another kind. Two queries."""
    return _origins([topic.pk]).get(topic.pk)


def fetch_origins(topics: list[Topic]) -> dict[int, Origin]:
    """The origins of those topics that have one, by topic id. Two queries, however many topics."""
    return _origins([topic.pk for topic in topics])


def _origins(ids: list[int]) -> dict[int, Origin]:
    related = ("reply__mention__source_document", "reply__run__template")
    questions = list(GeneratedQuestion.objects.filter(topic__in=ids).select_related(*related))
    if not questions:
        return {}
    mentions = {question.reply.mention_id for question in questions}
    references: dict[int, list[MentionReference]] = {}
    for reference in MentionReference.objects.filter(mention__in=mentions).select_related("document"):
        references.setdefault(reference.mention_id, []).append(reference)
    found = {}
    for question in questions:
        reply, cited = question.reply, references.get(question.reply.mention_id, [])
        found[question.topic_id or 0] = Origin(
            question,
            reply.mention,
            pieces_of(reply.mention, question.keys),
            cited,
            [reference for reference in cited if reference.key in question.keys],
            reply,
            reply.run.template,
        )
    return found
