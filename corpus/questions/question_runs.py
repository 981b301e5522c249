"""Generated questions: the cost of a run, its results, and the answers that wait for a person."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import Avg, Count, Q, QuerySet, Sum, TextChoices

from accounts.counting import counted, percent
from accounts.models import JobState
from corpus.endpoints.endpoints import default_service, find_service
from corpus.models import (
    CitationMention,
    Collection,
    GeneratedQuestion,
    GenerationReply,
    MentionReference,
    ModelPurpose,
    Outcome,
    PromptPurpose,
    PromptTemplate,
    QuestionRun,
    QuestionState,
)
from corpus.models.generation import ABOVE_CUTOFF, ARE_TOPICS, NEEDS_A_PERSON
from corpus.questions.mentions import MentionFilter, find_mentions
from engines.endpoints.prices import Prices, Spending
from engines.text.questions import DEFAULT_TEMPLATE, Prompt, render_prompt

PROMPT_NAME = "inline citations"
CHARACTERS_PER_TOKEN = 4  # of English text; only for estimates
# A person's “discarded” hides what the checks had said, but not why: the reason stays with the question.
FILTERED = Q(state=QuestionState.FILTERED) | Q(state=QuestionState.DISCARDED, problem__startswith=ABOVE_CUTOFF)
KEEPABLE = Q(state__in=ARE_TOPICS) | FILTERED | Q(state=QuestionState.DISCARDED, problem="")
COUNTED = Q(prompt_tokens__isnull=False, completion_tokens__isnull=False)
NO_REPLY = Q(outcome__in=(Outcome.WAITING, Outcome.NO_ANSWER), prompt_tokens=None, completion_tokens=None)
USUAL_SAMPLE = 50  # mentions asked about unless somebody says how many
USUAL_SEED = 1
USUAL_ANSWER = 150  # tokens, while this collection has no answers to go by


def prompt_versions(collection: Collection) -> QuerySet[PromptTemplate]:
    """The collection's prompts for questions, newest first."""
    return collection.prompt_templates.filter(purpose=PromptPurpose.QUESTIONS, name=PROMPT_NAME).order_by("-version")


def prompt_body(collection: Collection) -> str:
    """The newest prompt's words; Litmus's own where nobody has written one."""
    newest = prompt_versions(collection).first()
    return newest.body if newest else DEFAULT_TEMPLATE.strip()


class Used(TextChoices):
    """What is done about mentions that were asked about before."""

    NO = "no", "Leave those out"
    AGAIN = "again", "Ask about them again"
    STORED = "stored", "Filter their stored answers"


def used_of_again(*, again: bool, with_cutoffs: bool) -> Used:
    """What `again`, as version 0.1 called it, says: with other cut-offs, that nothing is asked."""
    if not again:
        return Used.NO
    return Used.STORED if with_cutoffs else Used.AGAIN


def mentions_to_ask(
    *, source: str = "", words: str = "", used: Used = Used.NO, sample: int = USUAL_SAMPLE, seed: int = USUAL_SEED
) -> MentionFilter:
    """The mentions that `generate_questions` is about. `sample` 0: all; stored answers are filtered for all."""
    if used == Used.STORED:
        return askable(MentionFilter(source=source, text=words.strip(), used="yes"))
    left_out = "no" if used == Used.NO else ""
    seed = seed if sample else 0  # without a sample it does nothing
    return MentionFilter(source=source, text=words.strip(), used=left_out, sample=sample, seed=seed)


def askable(criteria: MentionFilter) -> MentionFilter:
    """The filter, narrowed to mentions that a question can be made of: usable, citing a document of the collection."""
    return replace(criteria, target="yes", state="usable")


def prompt_of(mention: CitationMention, references: Iterable[MentionReference], body: str) -> Prompt:
    """The prompt about one mention. References come with their documents, whose titles stand in for missing ones."""
    titles = {each.key: each.title or (each.document.title if each.document else "") for each in references}
    markers = [(marker["start"], marker["end"], marker["keys"]) for marker in mention.markers]
    return render_prompt(body, mention.text, markers, titles)


@dataclass(frozen=True)
class Estimate:
    """What asking would take. Tokens are estimated from characters; cost None: prices are not known."""

    mentions: int
    inside: int = field(metadata={"help": "with a source paper inside the collection"})
    prompt_tokens: int
    completion_tokens: int
    cost: Decimal | None
    minutes: float = field(metadata={"help": "at least"})

    @property
    def outside(self) -> int:
        return self.mentions - self.inside


def estimate_questions(collection: Collection, criteria: MentionFilter, body: str, endpoint: str = "") -> Estimate:
    """What it would take to ask about the mentions that a filter lets through."""
    service = find_service(ModelPurpose.CHAT, collection, endpoint)
    characters = mentions = inside = 0
    found = find_mentions(collection, askable(criteria)).prefetch_related("references__document")
    for mention in found.defer("search").iterator(chunk_size=500):
        mentions += 1
        inside += mention.source_document_id is not None
        characters += len(prompt_of(mention, mention.references.all(), body).text)
    prompt_tokens = characters // CHARACTERS_PER_TOKEN
    known = GenerationReply.objects.filter(run__collection=collection, completion_tokens__isnull=False)
    usual = known.aggregate(usual=Avg("completion_tokens"))["usual"] or USUAL_ANSWER
    completion_tokens = round(mentions * usual)
    minutes = mentions / service.pace.per_minute if service and service.pace.per_minute else 0.0
    cost = service.prices.cost(prompt_tokens, completion_tokens) if service else None
    return Estimate(mentions, inside, prompt_tokens, completion_tokens, cost, minutes)


@dataclass(frozen=True)
class SourceFigures:
    """Questions of one source: how many, how many passed all other checks, are topics, and the cut-off left out.

    Questions that name unknown keys, repeat another, are too long or hold HTML could not be kept, whatever their
    overlap; they are in `questions` alone. `lost` became topics too, but these were deleted since.
    """

    source: str
    questions: int
    keepable: int
    kept: int
    lost: int
    filtered: int

    @property
    def filtered_percent(self) -> float | None:
        """Of the questions that could be kept; None for none."""
        return 100 * self.filtered / self.keepable if self.keepable else None

    @property
    def became(self) -> int:
        """Questions that became topics, also where these were deleted since."""
        return self.kept + self.lost

    @property
    def became_percent(self) -> float | None:
        return 100 * self.became / self.keepable if self.keepable else None

    @property
    def about_filter(self) -> str:
        """What the overlap left out, in words."""
        if self.filtered_percent is None:
            return f"{self.questions:,} questions, none that could be kept"
        became = f"{self.became:,} became topics{f' ({self.lost:,} deleted since)' if self.lost else ''}"
        return (
            f"{self.questions:,} questions; of the {self.keepable:,} that could be kept, {became}"
            f" and {self.filtered:,} ({percent(self.filtered_percent)}) did not because of their overlap"
        )


@dataclass(frozen=True)
class RunFigures:
    """The results of one run, or of all of a collection. `asked_again`: mentions with answers in more than one run."""

    mentions: int
    asked: int
    questions: int
    prompt_tokens: int
    completion_tokens: int
    uncounted: int  # answers whose tokens the endpoint did not count
    spending: Spending
    currency: str
    outcomes: list[tuple[str, str, int]]  # (value, label, replies)
    states: list[tuple[str, str, int]]  # (value, label, questions)
    sources: list[SourceFigures]
    asked_again: int

    @property
    def left(self) -> int:
        """Mentions still to be asked about."""
        return self.mentions - self.asked

    @property
    def lost(self) -> int:
        """Questions whose topics were deleted since."""
        return sum(each.lost for each in self.sources)

    @property
    def all_lost(self) -> bool:
        """Whether there were questions, and the topics of all were deleted since."""
        return 0 < self.questions == self.lost


def standing_of(run: QuestionRun, figures: RunFigures) -> str:
    """How far a run is whose job says only that it waits or goes on; of an ended one, why there is nothing to read."""
    paragraphs = counted(figures.mentions, "paragraph")
    if run.is_final:
        topics = "The topic of its only question was" if figures.lost == 1 else "The topics of all its questions were"
        return f"{topics} deleted since. In the list a question can be made a topic again." if figures.all_lost else ""
    if figures.left or not figures.mentions:
        return f"{figures.asked:,} of {paragraphs} asked about so far. The figures below count these."
    done = f"The model has answered about {'all ' * (figures.mentions > 1)}{paragraphs}."
    rest = "waits only to end" if run.state == JobState.QUEUED else "is ending"
    return f"{done} Nothing more is asked: the job {rest}."


def run_figures(collection: Collection, run: QuestionRun | None = None) -> RunFigures:
    """The counts of a run, or of all runs of the collection. Six queries at most."""
    replies = GenerationReply.objects.filter(run__collection=collection)
    questions = GeneratedQuestion.objects.filter(reply__run__collection=collection)
    if run is not None:
        replies, questions = replies.filter(run=run), questions.filter(reply__run=run)
    spent = replies.aggregate(
        mentions=Count("pk"),
        asked=Count("pk", filter=~Q(outcome=Outcome.WAITING)),
        sent=Sum("prompt_tokens", default=0),
        got=Sum("completion_tokens", default=0),
        uncounted=Count("pk", filter=~NO_REPLY & ~COUNTED),
    )
    sources = questions.order_by("reply__source").values_list("reply__source")
    per_source = sources.annotate(
        n=Count("pk"),
        n_keepable=Count("pk", filter=KEEPABLE),
        n_kept=Count("pk", filter=Q(topic__isnull=False)),
        n_lost=Count("pk", filter=Q(state__in=ARE_TOPICS, topic__isnull=True)),
        n_filtered=Count("pk", filter=FILTERED),
    )
    return RunFigures(
        spent["mentions"],
        spent["asked"],
        questions.count(),
        spent["sent"],
        spent["got"],
        spent["uncounted"],
        _spending(replies),
        settings.LLM_CURRENCY,
        _counted(replies, "outcome", Outcome.choices),
        _counted(questions, "state", QuestionState.choices),
        [SourceFigures(*row) for row in per_source],
        0 if run is not None else _asked_again(replies),
    )


def _spending(replies: QuerySet[GenerationReply]) -> Spending:
    """What the answers that came cost, each at the prices of its run."""
    tokens = {"sent": Sum("prompt_tokens"), "got": Sum("completion_tokens")}
    rows = (
        replies.exclude(NO_REPLY).annotate(is_counted=COUNTED).order_by().values_list("run__parameters", "is_counted")
    )
    costs = list[Decimal | None]()
    for run, is_counted, n, sent, got in rows.annotate(n=Count("pk"), **tokens):
        cost = _prices_of(run).cost(*((sent, got) if is_counted else (None, None)))
        costs += [cost] if cost is not None else [None] * n
    return Spending.of(costs)


def _prices_of(parameters: dict[str, Any]) -> Prices:
    """The prices that a run remembers; runs from before there were several endpoints have those of the settings."""
    usual = None if "endpoint" in parameters else default_service(ModelPurpose.CHAT)
    return usual.prices if usual else Prices.of(parameters)


def filter_of(run: QuestionRun) -> dict[str, Any]:
    """What overlap a run's questions are filtered by."""
    return {name: getattr(run, name) for name in ("overlap_definition", "cutoff_inside", "cutoff_outside")}


def _asked_again(replies: QuerySet[GenerationReply]) -> int:
    answered = replies.exclude(outcome__in=[Outcome.WAITING, Outcome.NO_ANSWER]).order_by().values("mention")
    return answered.annotate(n=Count("run", distinct=True)).filter(n__gt=1).count()


def _counted(rows: QuerySet[Any], name: str, choices: list[tuple[str, str]]) -> list[tuple[str, str, int]]:
    """Values that occur, with label and count, in the order of the choices."""
    counts = dict(rows.order_by(name).values_list(name).annotate(n=Count("pk")))
    return [(value, str(label), counts[value]) for value, label in choices if value in counts]


def list_questions(
    collection: Collection, *, run: int | None = None, state: str = "", source: str = "", text: str = ""
) -> QuerySet[GeneratedQuestion]:
    """The generated questions, newest run first, with all that a row shows."""
    found = GeneratedQuestion.objects.filter(reply__run__collection=collection)
    if run is not None:
        found = found.filter(reply__run=run)
    if state:
        found = found.filter(state=state)
    if source:
        found = found.filter(reply__source=source)
    if text:
        found = found.filter(text__icontains=text)
    related = ("reply__run", "reply__mention__source_document", "topic", "decided_by")
    return found.select_related(*related).order_by("-reply__run", "reply__position", "position")


def replies_for_a_person(run: QuestionRun) -> QuerySet[GenerationReply]:
    """The answers that could not be read as they came, in order."""
    return run.replies.filter(outcome__in=NEEDS_A_PERSON).select_related("mention", "corrected_by").order_by("position")
