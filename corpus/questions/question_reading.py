"""From an answer to questions, and from these to topics: strictly, and nothing is thrown away."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from corpus.models import (
    Collection,
    Document,
    GeneratedQuestion,
    GenerationReply,
    MentionReference,
    Outcome,
    QuestionState,
    Target,
    Topic,
    TopicKind,
)
from corpus.models.generation import ABOVE_CUTOFF, ARE_TOPICS, QuestionRun
from corpus.questions.question_runs import prompt_of
from corpus.topics.topics import next_position
from engines.text.overlap import Overlap, format_share, overlap_with
from engines.text.questions import LONGEST_QUESTION, ParsedQuestion, holds_markup, read_answer
from engines.text.words import title_key

LENGTH_LIMIT = "length"
WITHHELD = "content_filter"
COMPARED = (*ARE_TOPICS, QuestionState.FILTERED)


@dataclass
class Known:
    """The questions of a collection, by a key that equal ones share, and the next place of a topic."""

    names: dict[str, str] = field(default_factory=dict)
    next_position: int = 0

    def name_of(self, text: str) -> str:
        return self.names.get(title_key(text), "")

    def add(self, text: str, name: str) -> None:
        key = title_key(text)
        if key:
            self.names.setdefault(key, name)


def known_questions(collection: Collection, without: GenerationReply | None = None) -> Known:
    """The questions of a collection, but not those of one reply, which is read again."""
    known = Known(next_position=next_position(collection))
    topics = collection.topics.filter(kind=TopicKind.QUESTION)
    others = GeneratedQuestion.objects.filter(reply__run__collection=collection, state__in=COMPARED)
    if without is not None:
        topics = topics.exclude(generated_question__reply=without)
        others = others.exclude(reply=without)
    for number, text in topics.values_list("number", "text").iterator():
        known.add(text, f"topic {number}")
    for text, run, place in others.values_list("text", "reply__run", "reply__position").iterator():
        known.add(text, f"a question of run {run}, mention {place + 1}")
    return known


def read_reply(reply: GenerationReply, known: Known) -> None:
    """Understand a stored answer (its correction, where a person wrote one) and make questions of it.

    Called again after a crash, it makes the same questions once. The caller holds the transaction.
    """
    reply.questions.all().delete()
    reading = read_answer(reply.corrected or reply.text)
    reply.outcome, reply.problem = Outcome.QUESTIONS, ""
    if not reply.corrected and (reply.refusal or reply.finish_reason == WITHHELD):
        reply.outcome, reply.problem = Outcome.REFUSAL, reply.refusal or "The endpoint withheld the answer."
    elif not reply.corrected and reply.finish_reason == LENGTH_LIMIT:
        reply.outcome, reply.problem = Outcome.CUT_OFF, "It is cut off: it reached the length limit of answers."
    elif reading.problem:
        reply.outcome = Outcome.REFUSAL if reading.is_refusal else Outcome.UNPARSEABLE
        reply.problem = reading.problem
    elif not reading.questions:
        reply.outcome = Outcome.NONE
    reply.save(update_fields=["outcome", "problem"])
    if reply.outcome == Outcome.QUESTIONS:
        make_questions(reply, reading.questions, known)


def _references_of(reply: GenerationReply) -> dict[str, MentionReference]:
    """The references by the keys they have in the prompt (`cite_001`): numbered in the order of the text."""
    references = list(MentionReference.objects.filter(mention=reply.mention_id).select_related("document"))
    by_key = {reference.key: reference for reference in references}
    keys = prompt_of(reply.mention, references, "").keys
    return {key_in_prompt: by_key[key] for key_in_prompt, key in keys.items()}


def make_questions(reply: GenerationReply, questions: Sequence[ParsedQuestion], known: Known) -> None:
    """Store the questions of an answer, and make topics of those that pass all checks."""
    references = _references_of(reply)
    for position, each in enumerate(questions):
        cited = [references[key].document for key in each.keys if key in references]
        documents = list({document.pk: document for document in cited if document is not None}.values())
        overlap = measure(reply.run, each.text, documents)
        unknown = [key for key in each.keys if key not in references]
        state, problem = _doubt(each, unknown, documents, known) or filter_state(reply, overlap.titles)
        question = GeneratedQuestion(
            reply=reply,
            position=position,
            text=each.text,
            keys=[references[key].key if key in references else key for key in each.keys],
            state=state,
            problem=problem,
            overlap_titles=overlap.titles,
            overlap_texts=overlap.texts,
        )
        if state == QuestionState.KEPT:
            question.topic = make_topic(question, documents, known)
        question.save()
        if state in COMPARED:
            known.add(each.text, f"question {position + 1} of run {reply.run_id}, mention {reply.position + 1}")


def measure(run: QuestionRun, text: str, documents: Sequence[Document]) -> Overlap:
    """The overlap of a question with its targets, as the run counts it."""
    return overlap_with(text, [(each.title, each.abstract) for each in documents], run.overlap_definition)


def _doubt(
    question: ParsedQuestion, unknown_keys: Sequence[str], documents: Sequence[Document], known: Known
) -> tuple[QuestionState, str] | None:
    """Why a question is no topic, whatever its overlap; None for a good one."""
    if unknown_keys:
        return QuestionState.UNKNOWN_KEYS, f"It names {', '.join(unknown_keys)}, which the paragraph does not have."
    if not documents:
        reason = "None of the papers it names is in the collection." if question.keys else "It names no paper."
        return QuestionState.NO_TARGETS, reason
    if len(question.text) > LONGEST_QUESTION:
        words = f"It has {len(question.text):,} characters; at most {LONGEST_QUESTION:,} are allowed."
        return QuestionState.TOO_LONG, words
    if holds_markup(question.text):
        return QuestionState.MARKUP, "It holds HTML."
    same = known.name_of(question.text)
    return (QuestionState.REPEATED, f"It equals {same}.") if same else None


def filter_state(reply: GenerationReply, overlap: float | None) -> tuple[QuestionState, str]:
    """Kept, or filtered by the cut-off of the run for this source."""
    cutoff = reply.run.cutoff_of(reply.source)
    if cutoff is None or overlap is None or overlap <= cutoff:
        return QuestionState.KEPT, ""
    return (
        QuestionState.FILTERED,
        f"{ABOVE_CUTOFF}{format_share(overlap)} of its words are in the titles; the cut-off is {cutoff:g}.",
    )


def make_topic(question: GeneratedQuestion, documents: Sequence[Document], known: Known) -> Topic:
    """The topic of a question, with the cited documents as targets."""
    reply = question.reply
    collection = reply.run.collection
    topic = Topic.objects.create(
        collection=collection,
        number=_free_number(collection, f"gen-{reply.run_id}-{reply.position + 1}-{question.position + 1}"),
        kind=TopicKind.QUESTION,
        source=reply.source,
        text=question.text,
        position=known.next_position,
    )
    known.next_position += 1
    Target.objects.bulk_create(Target(topic=topic, document=each, source=reply.source) for each in documents)
    return topic


def _free_number(collection: Collection, first: str) -> str:
    """The number, or with a further part where an import has brought this very number in."""
    number, n = first, 1
    while collection.topics.filter(number=number).exists():
        n += 1
        number = f"{first}-{n}"
    return number
