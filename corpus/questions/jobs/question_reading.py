"""From an answer to questions, and from those to topics: strictly, and with nothing thrown away."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import Max

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
from corpus.models.generation import ARE_TOPICS, QuestionRun
from corpus.questions.reads.generation import prompt_of
from corpus.text.overlap import Overlap, overlap_by, tell_share
from corpus.text.questions import LONGEST_QUESTION, ParsedQuestion, holds_markup, read_answer
from corpus.text.words import title_key

LENGTH_LIMIT = "length"
WITHHELD = "content_filter"
COMPARED = (*ARE_TOPICS, QuestionState.FILTERED)


@dataclass
class Known:
    """What questions are there already, by what equal ones have in common, and the last place of a topic."""

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
    last = collection.topics.aggregate(last=Max("position"))["last"]
    known = Known(next_position=0 if last is None else last + 1)
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
        reply.outcome, reply.problem = Outcome.CUT_OFF, "It ends in the middle: it reached the longest allowed answer."
    elif reading.problem:
        reply.outcome = Outcome.REFUSAL if reading.is_refusal else Outcome.UNPARSEABLE
        reply.problem = reading.problem
    elif not reading.questions:
        reply.outcome = Outcome.NONE
    reply.save(update_fields=["outcome", "problem"])
    if reply.outcome == Outcome.QUESTIONS:
        make_questions(reply, reading.questions, known)


@dataclass(frozen=True)
class Cited:
    """What the keys of a prompt stand for."""

    references: dict[str, MentionReference]

    def documents(self, keys: Sequence[str]) -> list[Document]:
        """The documents of these keys, each once; keys of papers that are not here have none."""
        found = [self.references[key].document for key in keys if key in self.references]
        return list({document.pk: document for document in found if document is not None}.values())


def cited_by(reply: GenerationReply) -> Cited:
    """The references by the keys they have in the prompt (`cite_001`): numbered in the order of the text."""
    references = list(MentionReference.objects.filter(mention=reply.mention_id).select_related("document"))
    by_key = {reference.key: reference for reference in references}
    keys = prompt_of(reply.mention, references, "").keys
    return Cited({written: by_key[key] for written, key in keys.items()})


def make_questions(reply: GenerationReply, asked: Sequence[ParsedQuestion], known: Known) -> None:
    """Store the questions of an answer, and make topics of those that nothing speaks against."""
    cited = cited_by(reply)
    for position, each in enumerate(asked):
        documents = cited.documents(each.keys)
        overlap = measure(reply.run, each.text, documents)
        state, problem = _judge(reply, each, cited, overlap, known)
        question = GeneratedQuestion(
            reply=reply,
            position=position,
            text=each.text,
            keys=[cited.references[key].key if key in cited.references else key for key in each.keys],
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
    return overlap_by(run.overlap_definition, text, [(each.title, each.abstract) for each in documents])


def _judge(
    reply: GenerationReply, asked: ParsedQuestion, cited: Cited, overlap: Overlap, known: Known
) -> tuple[QuestionState, str]:
    """What becomes of a question, and why it is no topic."""
    unknown = [key for key in asked.keys if key not in cited.references]
    if unknown:
        return QuestionState.UNKNOWN_KEYS, f"It names {', '.join(unknown)}, which the paragraph does not have."
    if not cited.documents(asked.keys):
        reason = "None of the papers it names is in the collection." if asked.keys else "It names no paper."
        return QuestionState.NO_TARGETS, reason
    if len(asked.text) > LONGEST_QUESTION:
        return QuestionState.TOO_LONG, f"It has {len(asked.text):,} characters; at most {LONGEST_QUESTION:,} are one."
    if holds_markup(asked.text):
        return QuestionState.MARKUP, "It holds HTML."
    if same := known.name_of(asked.text):
        return QuestionState.REPEATED, f"It equals {same}."
    return filter_state(reply, overlap.titles)


def filter_state(reply: GenerationReply, overlap: float | None) -> tuple[QuestionState, str]:
    """Kept, or filtered by the cut-off of the run for this source."""
    cutoff = reply.run.cutoff_of(reply.source)
    if cutoff is None or overlap is None or overlap <= cutoff:
        return QuestionState.KEPT, ""
    return (
        QuestionState.FILTERED,
        f"A share of {tell_share(overlap)} of its words are in the titles; the cut-off is {cutoff:g}.",
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


def _free_number(collection: Collection, wanted: str) -> str:
    """The number, or with a further part where an import has brought this very number in."""
    number, n = wanted, 1
    while collection.topics.filter(number=number).exists():
        n += 1
        number = f"{wanted}-{n}"
    return number
