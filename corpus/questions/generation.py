"""Requests for generated questions, and the prompt for them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts import jobs
from accounts.audit import record_event
from accounts.models import FINAL_STATES, JobState, User
from accounts.refusals import Conflict, Refused
from corpus.collections.rules import check_manager
from corpus.endpoints.endpoints import Service, service_for
from corpus.models import (
    Collection,
    GenerationReply,
    ModelPurpose,
    Outcome,
    OverlapDefinition,
    PromptPurpose,
    PromptTemplate,
    QuestionRun,
)
from corpus.models.generation import INLINE_INSIDE, INLINE_OUTSIDE, NEEDS_A_PERSON
from corpus.questions.decisions import FilteredAgain, checked_cutoffs, filter_stored_answers
from corpus.questions.mentions import MentionFilter, find_mentions
from corpus.questions.prompts import write_prompt
from corpus.questions.question_runs import (
    PROMPT_NAME,
    USUAL_SAMPLE,
    USUAL_SEED,
    Estimate,
    Used,
    askable,
    estimate_questions,
    mentions_to_ask,
    prompt_body,
    prompt_of,
    prompt_versions,
)
from engines.text.overlap import USUAL
from engines.text.questions import template_problem

MOST_MENTIONS = 20_000
RUNNING = "Questions are being generated in this collection already. Wait for it, or cancel it first."


@transaction.atomic
def write_question_prompt(*, by: User | None, at: datetime, collection: Collection, body: str) -> PromptTemplate:
    """Store the next version of the prompt for questions. Errors: Refused for one that cannot work."""
    check_manager(collection, by)
    if problem := template_problem(body):
        raise Refused(problem)
    purpose = PromptPurpose.QUESTIONS
    return write_prompt(by=by, at=at, collection=collection, purpose=purpose, name=PROMPT_NAME, body=body)


@transaction.atomic
def generate_questions(
    *,
    by: User | None,
    at: datetime,
    collection: Collection,
    source: str = "",
    words: str = "",
    used: Used = Used.NO,
    sample: int = USUAL_SAMPLE,
    seed: int = USUAL_SEED,
    prompt: PromptTemplate | None = None,
    endpoint: str = "",
    send: bool = True,
    **cutoffs: Any,
) -> QuestionRun | FilteredAgain:
    """Ask the model about mentions or, with `used` stored, filter again what it has answered and ask nothing.

    `cutoffs` are those of `request_questions`; what is left out is as usual, or as each stored run has it. Errors:
    those of `request_questions` and `filter_stored_answers`.
    """
    facts: dict[str, Any] = {"by": by, "at": at, "collection": collection}
    facts["criteria"] = mentions_to_ask(source=source, words=words, used=used, sample=sample, seed=seed)
    if used == Used.STORED:
        return filter_stored_answers(**facts, **cutoffs)
    return request_questions(**facts, **cutoffs, template=prompt, endpoint=endpoint, send=send)


def preview_questions(
    *,
    by: User | None,
    at: datetime,
    collection: Collection,
    prompt: PromptTemplate | None = None,
    endpoint: str = "",
    used: Used = Used.NO,
    source: str = "",
    words: str = "",
    sample: int = USUAL_SAMPLE,
    seed: int = USUAL_SEED,
    **cutoffs: Any,
) -> Estimate | FilteredAgain:
    """What `generate_questions` would take or, for stored answers, change. Nothing is asked or kept."""
    check_manager(collection, by)
    criteria = mentions_to_ask(source=source, words=words, used=used, sample=sample, seed=seed)
    if used != Used.STORED:
        return estimate_questions(collection, criteria, prompt.body if prompt else prompt_body(collection), endpoint)
    with transaction.atomic():
        changed = filter_stored_answers(by=by, at=at, collection=collection, criteria=criteria, **cutoffs)
        transaction.set_rollback(True)
    return changed


@transaction.atomic
def request_questions(
    *,
    by: User | None,
    at: datetime,
    collection: Collection,
    criteria: MentionFilter,
    template: PromptTemplate | None = None,
    endpoint: str = "",
    cutoff_inside: float | str | None = USUAL,
    cutoff_outside: float | str | None = USUAL,
    overlap_definition: OverlapDefinition = OverlapDefinition.CODE,
    send: bool = True,
) -> QuestionRun:
    """Ask the model about the mentions a filter lets through (usable ones that cite a document of the collection).

    The prompts are fixed now. Cut-offs are as in `change_cutoffs`. Errors: Refused without a model or mentions,
    Conflict while another run goes on.
    """
    check_manager(collection, by)
    service = service_for(ModelPurpose.CHAT, collection, endpoint)
    inside, outside = checked_cutoffs(overlap_definition, cutoff_inside, cutoff_outside)
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    if collection.question_runs.exclude(state__in=FINAL_STATES).exists():
        raise Conflict(RUNNING)
    template = template or prompt_versions(collection).first()
    template = template or write_question_prompt(by=by, at=at, collection=collection, body=prompt_body(collection))
    run = jobs.new_job(
        QuestionRun,
        by=by,
        at=at,
        send=send,
        collection=collection,
        template=template,
        model=service.endpoint.model,
        cutoff_inside=inside,
        cutoff_outside=outside,
        overlap_definition=overlap_definition,
        seed=criteria.seed,
        parameters=criteria.as_parameters | {"endpoint": service.name} | service.prices.as_text,
    )
    run.total = _lay_out(run, criteria)
    run.save(update_fields=["total"])
    record_event(
        by=by,
        at=at,
        verb="request_questions",
        target=run,
        scope=collection,
        mentions=run.total,
        model=run.model,
        template=str(template),
        endpoint=service.name,
        **criteria.as_parameters,
    )
    return run


@transaction.atomic
def continue_questions(
    *, by: User | None, at: datetime, run: QuestionRun, ask_again: bool = False, send: bool = True
) -> QuestionRun:
    """Go on with an ended run: ask what was not asked, and again what had no answer. What is answered stays.

    With `ask_again` also where the kept answer could not be read, was a refusal or was cut off; it stays in `earlier`.
    """
    check_manager(run.collection, by)
    Collection.objects.select_for_update(no_key=True).get(pk=run.collection_id)
    found = QuestionRun.objects.select_for_update().get(pk=run.pk)
    if not found.is_final or run.collection.question_runs.exclude(state__in=FINAL_STATES).exists():
        raise Conflict(RUNNING)
    service_of(found).asking(found.model)
    repeated = _put_back(found, NEEDS_A_PERSON if ask_again else (Outcome.NO_ANSWER,))
    count = found.replies.filter(outcome__in=[Outcome.WAITING, Outcome.UNREAD]).count()
    if not count:
        raise Refused("All questions have been answered.")
    found.state, found.attempts, found.reason, found.requested_at = JobState.QUEUED, 0, "", at
    found.finished_at = found.cancel_requested_at = None
    found.save()
    if send:
        jobs.send(found)
    record_event(
        by=by, at=at, verb="continue_questions", target=found, scope=run.collection, open=count, again=repeated
    )
    return found


def service_of(run: QuestionRun) -> Service:
    """The endpoint that the run was requested for. Errors: Refused where it was removed meanwhile."""
    return service_for(ModelPurpose.CHAT, run.collection, run.parameters.get("endpoint", ""))


def _put_back(run: QuestionRun, outcomes: Sequence[Outcome]) -> int:
    """Let the replies with these outcomes wait again; how many. What had come is kept with them."""
    replies = list(run.replies.filter(outcome__in=outcomes))
    for reply in replies:
        if reply.text or reply.refusal:
            kept = {name: getattr(reply, name) for name in ("text", "refusal", "outcome", "problem", "finish_reason")}
            reply.earlier = [*reply.earlier, kept | {"answered_at": str(reply.answered_at)}]
        reply.outcome, reply.answered_at = Outcome.WAITING, None
        reply.text = reply.refusal = reply.problem = reply.finish_reason = ""
    fields = ["earlier", "outcome", "answered_at", "text", "refusal", "problem", "finish_reason"]
    GenerationReply.objects.bulk_update(replies, fields, batch_size=500)
    return len(replies)


def _lay_out(run: QuestionRun, criteria: MentionFilter) -> int:
    """One waiting reply with its prompt for each mention; how many. Errors: Refused for none, and for too many."""
    found = find_mentions(run.collection, askable(criteria)).defer("search").prefetch_related("references__document")
    replies = []
    for position, mention in enumerate(found.iterator(chunk_size=500)):
        if position >= MOST_MENTIONS:
            raise Refused(f"There are more than {MOST_MENTIONS:,} mentions. Choose a sample.")
        source = INLINE_INSIDE if mention.source_document_id else INLINE_OUTSIDE
        prompt = prompt_of(mention, mention.references.all(), run.template.body).text
        replies.append(GenerationReply(run=run, mention=mention, position=position, source=source, prompt=prompt))
    if not replies:
        raise Refused("No usable mention that cites a document of the collection matches.")
    GenerationReply.objects.bulk_create(replies, batch_size=500)
    return len(replies)
