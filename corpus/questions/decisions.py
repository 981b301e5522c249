"""Decisions about generated questions: kept, discarded, an answer corrected, a cut-off moved."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.audit import record_event
from accounts.models import FINAL_STATES, User
from accounts.refusals import Conflict, Refused
from corpus.collections.rules import check_manager
from corpus.models import (
    Collection,
    Document,
    GeneratedQuestion,
    GenerationReply,
    MentionReference,
    Outcome,
    OverlapDefinition,
    QuestionRun,
    QuestionState,
)
from corpus.models.generation import NEEDS_A_PERSON
from corpus.questions.mentions import MentionFilter, find_mentions
from corpus.questions.question_reading import filter_state, known_questions, make_topic, measure, read_reply
from corpus.questions.question_runs import askable, filter_of
from corpus.topics.topics import delete_topic
from engines.text.overlap import USUAL, Cutoffs, cutoffs_of
from engines.text.questions import read_answer

LONGEST_CORRECTION = 50_000


@transaction.atomic
def keep_question(*, by: User | None, at: datetime, question: GeneratedQuestion) -> None:
    """Make a topic of a question that was filtered, discarded or in doubt.

    Errors: Refused where no paper it cites is in the collection, Conflict where it is a topic already.
    """
    collection, found = _lock(by, question)
    if found.topic_id is not None:
        raise Conflict("It is a topic already.")
    documents = targets_of(found)
    if not documents:
        raise Refused(
            "None of the papers it cites is in the collection, so it would have no target. Import the documents and"
            " look the "
            "links up again first."
        )
    was = found.state
    found.state, found.decided_at, found.decided_by = QuestionState.RESTORED, at, by
    found.topic = make_topic(found, documents, known_questions(collection))
    overlap = measure(found.reply.run, found.text, documents)
    found.overlap_titles, found.overlap_texts = overlap.titles, overlap.texts
    found.save()
    record_event(by=by, at=at, verb="keep_question", target=found.topic, scope=collection, was=was)


@transaction.atomic
def discard_question(*, by: User, at: datetime, question: GeneratedQuestion) -> None:
    """Take a question out; its topic goes, unless a campaign has it. It stays in the list and can be kept again."""
    collection, found = _lock(by, question)
    if found.state == QuestionState.DISCARDED:
        raise Conflict("It has been discarded already.")
    was, topic = found.state, found.topic
    found.state, found.topic, found.decided_at, found.decided_by = QuestionState.DISCARDED, None, at, by
    found.save(update_fields=["state", "topic", "decided_at", "decided_by"])
    if topic is not None:
        delete_topic(by=by, at=at, topic=topic)
    record_event(by=by, at=at, verb="discard_question", target=found, scope=collection, was=was)


@transaction.atomic
def correct_reply(*, by: User | None, at: datetime, reply: GenerationReply, text: str) -> int:
    """Read a person's version of an answer that could not be read; the raw text stays. Returns how many questions.

    Errors: Refused with what is wrong with the text, Conflict when the answer has been understood meanwhile.
    """
    run = reply.run
    check_manager(run.collection, by)
    found = GenerationReply.objects.select_for_update(of=("self",)).select_related("run__collection", "mention")
    reply = found.get(pk=reply.pk)
    if reply.outcome not in NEEDS_A_PERSON:
        raise Conflict("This answer has been parsed already.")
    text = text.replace("\r\n", "\n").strip()
    if len(text) > LONGEST_CORRECTION:
        raise Refused(f"A correction has at most {LONGEST_CORRECTION:,} characters.")
    reading = read_answer(text)
    if reading.problem:
        raise Refused(reading.problem)
    reply.corrected, reply.corrected_at, reply.corrected_by = text, at, by
    reply.save(update_fields=["corrected", "corrected_at", "corrected_by"])
    read_reply(reply, known_questions(run.collection, without=reply))
    record_event(by=by, at=at, verb="correct_reply", target=reply, scope=run.collection, run=run.pk)
    return len(reading.questions)


@dataclass(frozen=True)
class Refiltered:
    """The result of other cut-offs: questions that became topics, that no longer are, and that stay for a campaign."""

    kept: int
    filtered: int
    held: int

    def __str__(self) -> str:
        held = f" {self.held:,} stay because a campaign has them." if self.held else ""
        return f"{self.kept:,} more are kept, {self.filtered:,} more are filtered.{held}"


@dataclass(frozen=True)
class FilteredAgain:
    """The ids of runs whose stored answers were filtered again, and the sum of what changed."""

    runs: tuple[int, ...]
    changed: Refiltered

    def __str__(self) -> str:
        return f"Nothing was asked. Runs filtered again: {', '.join(map(str, self.runs))}. {self.changed}"


@dataclass(frozen=True)
class RunFilteredAgain:
    """A run with its new filter, and what that changed."""

    run: QuestionRun
    changed: Refiltered


@transaction.atomic
def change_cutoffs(*, by: User | None, at: datetime, run: QuestionRun, **given: Any) -> RunFilteredAgain:
    """Filter the questions of an ended run again. What a person has decided stays, and what is in campaigns.

    Given are any of `overlap_definition`, `cutoff_inside` and `cutoff_outside`; another definition brings its own
    cut-offs. Those are shares, None for no filter, or `USUAL` for what belongs to the definition.
    """
    check_manager(run.collection, by)
    Collection.objects.select_for_update(no_key=True).get(pk=run.collection_id)
    found = QuestionRun.objects.select_for_update(of=("self",)).select_related("collection").get(pk=run.pk)
    if found.state not in FINAL_STATES:
        raise Conflict("Wait until the questions are generated, or cancel the run first.")
    chosen = ({} if "overlap_definition" in given else filter_of(found)) | given
    found.overlap_definition = chosen["overlap_definition"]
    found.cutoff_inside, found.cutoff_outside = checked_cutoffs(
        found.overlap_definition, chosen.get("cutoff_inside", USUAL), chosen.get("cutoff_outside", USUAL)
    )
    found.save(update_fields=["cutoff_inside", "cutoff_outside", "overlap_definition"])
    changed = _filter_again(by, at, found)
    record_event(
        by=by,
        at=at,
        verb="change_cutoffs",
        target=found,
        scope=found.collection,
        inside=found.cutoff_inside,
        outside=found.cutoff_outside,
        definition=found.overlap_definition,
        kept=changed.kept,
        filtered=changed.filtered,
    )
    return RunFilteredAgain(found, changed)


def checked_cutoffs(definition: str, inside: float | str | None, outside: float | str | None) -> Cutoffs:
    """The cut-offs as they are stored: None is no filter. Errors: Refused for what is no share and no definition."""
    if definition not in OverlapDefinition.values:
        raise Refused(
            f"There is no definition of overlap “{definition}”. There are {', '.join(OverlapDefinition.values)}."
        )
    found = cutoffs_of(definition, inside, outside)
    if any(cutoff is not None and not 0 <= cutoff <= 1 for cutoff in found):
        raise Refused("A cut-off is a share from 0 to 1.")
    return found


@transaction.atomic
def filter_stored_answers(
    *,
    by: User | None,
    at: datetime,
    collection: Collection,
    criteria: MentionFilter,
    **given: Any,
) -> FilteredAgain:
    """Filter the runs again that asked about these mentions, each as a whole, and ask nothing.

    `given` are arguments of `change_cutoffs`. Errors: Refused where nothing is
    given or no run has asked about any of them, Conflict where one still goes on.
    """
    check_manager(collection, by)
    if not given:
        raise Refused("Choose how to filter the stored answers: another definition of overlap or another cut-off.")
    mentions = find_mentions(collection, askable(criteria)).values("pk")
    runs = list(collection.question_runs.filter(replies__mention__in=mentions).distinct().order_by("pk"))
    if not runs:
        raise Refused("No question was asked about these mentions, so there are no stored answers to filter.")
    changes = [change_cutoffs(by=by, at=at, run=run, **given).changed for run in runs]
    total = (sum(getattr(each, name) for each in changes) for name in ("kept", "filtered", "held"))
    return FilteredAgain(tuple(run.pk for run in runs), Refiltered(*total))


def targets_of(question: GeneratedQuestion) -> list[Document]:
    """The documents that a question cites, as they are linked now."""
    cited = MentionReference.objects.filter(mention=question.reply.mention_id, key__in=question.keys)
    return list(Document.objects.filter(pk__in=cited.values("document")).order_by("pk"))


def _filter_again(by: User | None, at: datetime, run: QuestionRun) -> Refiltered:
    kept = filtered = held = 0
    known = known_questions(run.collection)
    states = [QuestionState.KEPT, QuestionState.FILTERED]
    questions = GeneratedQuestion.objects.filter(reply__run=run, state__in=states, decided_at__isnull=True)
    for question in questions.select_related("reply__mention", "topic__collection").order_by("pk"):
        question.reply.run = run
        documents = targets_of(question)
        if not documents:
            continue  # its papers have left the collection: there is nothing to measure, and nothing to find
        overlap = measure(run, question.text, documents)
        state, problem = filter_state(question.reply, overlap.titles)
        question.overlap_titles, question.overlap_texts = overlap.titles, overlap.texts
        topic = question.topic
        if state == QuestionState.FILTERED and topic is not None and topic.items.exists():
            held += 1
        elif state == QuestionState.FILTERED and question.state == QuestionState.KEPT:
            filtered += 1
            question.state, question.problem, question.topic = state, problem, None
        elif state == QuestionState.KEPT and question.state == QuestionState.FILTERED:
            kept += 1
            question.state, question.problem = state, problem
            question.topic = make_topic(question, documents, known)
        elif state == QuestionState.FILTERED:
            question.problem = problem
        question.save()
        if topic is not None and question.topic is None:
            delete_topic(by=by, at=at, topic=topic)
    return Refiltered(kept, filtered, held)


def _lock(by: User | None, question: GeneratedQuestion) -> tuple[Collection, GeneratedQuestion]:
    """The question as it is now, kept from others until the transaction ends; topics are made one after the other."""
    collection = question.reply.run.collection
    check_manager(collection, by)
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    rows = GeneratedQuestion.objects.select_for_update(of=("self",))
    found = rows.select_related("reply__run__collection", "reply__mention", "topic__collection").get(pk=question.pk)
    if found.reply.outcome != Outcome.QUESTIONS:
        raise Conflict("Its answer is being read at the moment.")
    return collection, found
