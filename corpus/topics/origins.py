"""Where a question came from: the paragraph, the answer of the model, the prompt. Not for annotators beyond the
paragraph with its target marks, which the rubric screen shows them."""

from dataclasses import dataclass

from corpus.models import CitationMention, GeneratedQuestion, GenerationReply, MentionReference, PromptTemplate, Topic
from corpus.questions.mentions import Piece, pieces_of


@dataclass(frozen=True)
class Origin:
    """A topic's origin. `pieces` are the paragraph with the markers of its targets distinguished; `references` all that
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
    related = ("reply__mention__source_document", "reply__run__template")
    question = GeneratedQuestion.objects.filter(topic=topic).select_related(*related).first()
    if question is None:
        return None
    reply = question.reply
    cited = list(MentionReference.objects.filter(mention=reply.mention_id).select_related("document"))
    return Origin(
        question,
        reply.mention,
        pieces_of(reply.mention, question.keys),
        cited,
        [reference for reference in cited if reference.key in question.keys],
        reply,
        reply.run.template,
    )
