"""Questions that a language model wrote from citation mentions, with everything that was asked and answered."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.models import Job, person_key
from corpus.models.collections import Collection, InCollection
from corpus.models.mentions import CitationMention
from corpus.models.prompts import PromptTemplate
from corpus.models.topics import Topic
from engines.text.overlap import DEFINITIONS, LITSEARCH_CODE, WORDS

INLINE_INSIDE, INLINE_OUTSIDE = "inline-inside", "inline-outside"  # sources of topics: where the mention's paper is


class OverlapDefinition(models.TextChoices):
    """How the words of a question are counted (engines/text/overlap.py; formats.md 2)."""

    WORDS = WORDS, DEFINITIONS[WORDS].label
    CODE = LITSEARCH_CODE, DEFINITIONS[LITSEARCH_CODE].label


class QuestionRun(Job):
    """Asking a model for questions about sampled mentions. `parameters` hold the filter and sample they came from.

    The cut-offs are the highest allowed share of the question's words in the titles of its targets, for sources
    inside and outside the collection, counted by the definition; null lets everything through.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="question_runs")
    template = models.ForeignKey(PromptTemplate, on_delete=models.PROTECT, related_name="question_runs")
    model = models.CharField(max_length=200)
    cutoff_inside = models.FloatField(null=True, blank=True, default=0.3)
    cutoff_outside = models.FloatField(null=True, blank=True, default=0.1)
    overlap_definition = models.CharField(max_length=20, choices=OverlapDefinition, default=OverlapDefinition.CODE)

    objects = InCollection.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="question_run_cutoff_inside_is_share",
                condition=models.Q(cutoff_inside__isnull=True) | models.Q(cutoff_inside__gte=0, cutoff_inside__lte=1),
            ),
            models.CheckConstraint(
                name="question_run_cutoff_outside_is_share",
                condition=models.Q(cutoff_outside__isnull=True)
                | models.Q(cutoff_outside__gte=0, cutoff_outside__lte=1),
            ),
            models.CheckConstraint(
                name="question_run_overlap_definition_known",
                condition=models.Q(overlap_definition__in=OverlapDefinition.values),
            ),
        ]

    def __str__(self) -> str:
        return "question generation"

    @property
    def overlap_rule(self) -> str:
        """What overlap compares and which cut-offs hold, in a sentence; says where the two do not belong together."""
        own = DEFINITIONS[self.overlap_definition]
        inside, outside = (
            "none" if each is None else f"{each:g}" for each in (self.cutoff_inside, self.cutoff_outside)
        )
        said = f"Overlap compares {own.label}; cut-offs: {inside} for sources inside, {outside} outside."
        strangers = [each for each in DEFINITIONS.values() if each is not own]
        if (self.cutoff_inside, self.cutoff_outside) in [(each.inside, each.outside) for each in strangers]:
            said += " These cut-offs belong to another way of counting."
        return said

    def cutoff_of(self, source: str) -> float | None:
        """The cut-off for questions of this source (inline-inside or inline-outside)."""
        return self.cutoff_inside if source == INLINE_INSIDE else self.cutoff_outside


class Outcome(models.TextChoices):
    WAITING = "waiting", "not asked yet"
    UNREAD = "unread", "answered, not read yet"
    QUESTIONS = "questions", "questions"
    NONE = "none", "the model found nothing to ask"
    UNPARSEABLE = "unparseable", "not in the agreed form"
    REFUSAL = "refusal", "the model refused"
    CUT_OFF = "cut-off", "cut off at the longest allowed answer"
    NO_ANSWER = "no-answer", "no answer came"


NEEDS_A_PERSON = (Outcome.UNPARSEABLE, Outcome.REFUSAL, Outcome.CUT_OFF, Outcome.NO_ANSWER)


class GenerationReply(models.Model):
    """One mention put before the model: the very prompt, the answer as it came, what it cost, and what was read in it.

    It is stored before the next question is paid for. `corrected` is a person's version of an answer that could not
    be read; the raw text stays. `earlier` are answers that were replaced by asking again, oldest first (text, outcome,
    problem, answered_at), as nothing that came is thrown away; the tokens are those of all answers together.
    """

    run = models.ForeignKey(QuestionRun, on_delete=models.CASCADE, related_name="replies", db_index=False)
    mention = models.ForeignKey(CitationMention, on_delete=models.PROTECT, related_name="replies")
    position = models.PositiveIntegerField()
    source = models.CharField(max_length=60)  # inline-inside or inline-outside when it was sampled
    prompt = models.TextField()
    outcome = models.CharField(max_length=12, choices=Outcome, default=Outcome.WAITING)
    text = models.TextField(blank=True)
    refusal = models.TextField(blank=True)
    problem = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=60, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    earlier = models.JSONField(default=list, blank=True)
    corrected = models.TextField(blank=True)
    corrected_at = models.DateTimeField(null=True, blank=True)
    corrected_by = person_key("corrected_replies")

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "mention"], name="generation_reply_once"),
            models.CheckConstraint(
                name="generation_reply_outcome_known", condition=models.Q(outcome__in=Outcome.values)
            ),
            models.CheckConstraint(
                name="generation_reply_answered_or_waiting",
                condition=models.Q(outcome=Outcome.WAITING, answered_at__isnull=True)
                | (~models.Q(outcome=Outcome.WAITING) & models.Q(answered_at__isnull=False)),
            ),
            models.CheckConstraint(
                name="generation_reply_corrected_at_and_text_paired",
                condition=models.Q(corrected="", corrected_at__isnull=True)
                | (~models.Q(corrected="") & models.Q(corrected_at__isnull=False)),
            ),
        ]

    def __str__(self) -> str:
        return f"reply {self.position}"


class QuestionState(models.TextChoices):
    """What became of a question. Only kept and restored ones are topics."""

    KEPT = "kept", "kept"
    RESTORED = "restored", "kept by a person's decision"
    FILTERED = "filtered", "too many words of the titles"
    UNKNOWN_KEYS = "unknown-keys", "names citations that are not there"
    NO_TARGETS = "no-targets", "no cited paper is in the collection"
    REPEATED = "repeated", "equal to another question"
    TOO_LONG = "too-long", "too long for a question"
    MARKUP = "markup", "holds HTML"
    DISCARDED = "discarded", "discarded by a person"


ABOVE_CUTOFF = "A share of "  # begins the problem of each question that its overlap has filtered
ARE_TOPICS = (QuestionState.KEPT, QuestionState.RESTORED)


class GeneratedQuestion(models.Model):
    """A question read in a reply, with the keys it names. As a topic it has the documents of these keys as targets.

    `overlap_titles` and `overlap_texts` are the shares of its words in the titles, and in titles and abstracts, of its
    targets, null where undefined; `problem` says why it is no topic.
    """

    reply = models.ForeignKey(GenerationReply, on_delete=models.CASCADE, related_name="questions", db_index=False)
    position = models.PositiveSmallIntegerField()
    text = models.TextField()
    keys = ArrayField(models.TextField(), default=list)
    state = models.CharField(max_length=12, choices=QuestionState)
    problem = models.TextField(blank=True)
    overlap_titles = models.FloatField(null=True, blank=True)
    overlap_texts = models.FloatField(null=True, blank=True)
    topic = models.OneToOneField(
        Topic, on_delete=models.SET_NULL, null=True, blank=True, related_name="generated_question"
    )
    decided_at = models.DateTimeField(null=True, blank=True)  # by a person, who restored or discarded it
    decided_by = person_key("decided_questions")

    class Meta:
        ordering = ["reply__position", "position"]
        constraints = [
            models.UniqueConstraint(fields=["reply", "position"], name="generated_question_place_once"),
            models.CheckConstraint(
                name="generated_question_state_known", condition=models.Q(state__in=QuestionState.values)
            ),
            models.CheckConstraint(name="generated_question_has_text", condition=~models.Q(text="")),
            models.CheckConstraint(
                name="generated_question_only_kept_are_topics",
                condition=models.Q(topic__isnull=True) | models.Q(state__in=ARE_TOPICS),
            ),
        ]

    def __str__(self) -> str:
        return self.text

    @property
    def is_lost(self) -> bool:
        """Kept, but its topic was deleted."""
        return self.state in ARE_TOPICS and self.topic_id is None
