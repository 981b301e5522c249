"""Machine annotators: in a run one machine judges the items of a campaign; its replies are kept word for word."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.models import Job, person_key
from annotation.models.campaigns import Campaign, Criterion
from annotation.models.items import Annotator, Item
from corpus.models import PromptTemplate
from corpus.models.imports import imported_in


class MachineKind(models.TextChoices):
    ENDPOINT = "endpoint", "language model"
    LEXICAL = "lexical", "lexical baseline"
    COMMITTEE = "committee", "committee of machines"


class MachineRun(Job):
    """One run of one recipe over a campaign, by an annotator made for it.

    `recipe` is everything that labels depend on, `recipe_hash` its digest: runs with the same hash are runs of the
    same machine. `parameters` say how fast it is asked and at what price, which changes no label. `Job.seed` is the
    seed that this very run sends.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="machine_runs")
    criteria = models.ManyToManyField(Criterion, through="RunCriterion", related_name="machine_runs")
    annotator = models.OneToOneField(Annotator, on_delete=models.CASCADE, related_name="machine_run")
    kind = models.CharField(max_length=9, choices=MachineKind)
    prompt = models.ForeignKey(
        PromptTemplate, on_delete=models.PROTECT, null=True, blank=True, related_name="machine_runs"
    )
    recipe = models.JSONField()
    recipe_hash = models.CharField(max_length=64)
    run_number = models.PositiveSmallIntegerField(default=1)
    members = models.ManyToManyField("self", symmetrical=False, related_name="committees", blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(name="machine_run_kind_known", condition=Q(kind__in=MachineKind.values)),
            models.CheckConstraint(
                name="machine_run_prompt_where_asked",
                condition=Q(kind="endpoint", prompt__isnull=False)
                | Q(kind__in=["lexical", "committee"], prompt__isnull=True),
            ),
            models.CheckConstraint(name="machine_run_hash", condition=Q(recipe_hash__regex=r"^[0-9a-f]{64}$")),
        ]

    def __str__(self) -> str:
        return f"machine run {self.pk}"

    @property
    def model(self) -> str:
        return str(self.recipe["model"])

    @property
    def temperature(self) -> float:
        return float(self.recipe["temperature"])


class RunCriterion(models.Model):
    """A criterion that a run answers: one, or several in one reply. Hash and number are the run's, so that no two runs
    are the same one."""

    run = models.ForeignKey(MachineRun, on_delete=models.CASCADE, related_name="+", db_index=False)
    criterion = models.ForeignKey(Criterion, on_delete=models.RESTRICT, related_name="+")
    recipe_hash = models.CharField(max_length=64)
    run_number = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "criterion"], name="run_criterion_once"),
            models.UniqueConstraint(fields=["criterion", "recipe_hash", "run_number"], name="machine_run_once"),
        ]

    def __str__(self) -> str:
        return f"{self.criterion_id} of {self.run_id}"


class ReplyState(models.TextChoices):
    ANSWERED = "answered", "answered"
    INVALID = "invalid", "invalid"
    ERROR = "error", "no answer"


class MachineReply(models.Model):
    """What a machine said of one item, once per run and item, however many criteria it answers.

    Invalid: it came and was paid for, but does not state an answer that can be read for each criterion; `problem` says
    why. Error: no reply came; going on with the run asks again.
    """

    run = models.ForeignKey(MachineRun, on_delete=models.CASCADE, related_name="replies", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="machine_replies")
    state = models.CharField(max_length=8, choices=ReplyState)
    text = models.TextField(blank=True)
    problem = models.CharField(max_length=500, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    cost = models.DecimalField(max_digits=16, decimal_places=8, null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    received_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "item"], name="machine_reply_once"),
            models.CheckConstraint(name="machine_reply_state_known", condition=Q(state__in=ReplyState.values)),
            models.CheckConstraint(name="machine_reply_problem_stated", condition=Q(state="answered") | ~Q(problem="")),
        ]
        indexes = [
            models.Index(fields=["run", "id"], name="machine_reply_not_answered", condition=~Q(state="answered")),
        ]

    def __str__(self) -> str:
        return f"reply of {self.run_id} on {self.item_id}"


class ReplyValue(models.Model):
    """What a reply that came states of one criterion.

    Where no value could be read, `problem` says why. That is no label unless a person decides what the reply states.
    `agreement` (committees): the share of the members with an answer who gave the one that most of them gave.
    """

    reply = models.ForeignKey(MachineReply, on_delete=models.CASCADE, related_name="stated", db_index=False)
    criterion = models.ForeignKey(Criterion, on_delete=models.RESTRICT, related_name="+", db_index=False)
    value = models.SmallIntegerField(null=True, blank=True)
    problem = models.CharField(max_length=500, blank=True)
    agreement = models.FloatField(null=True, blank=True)
    decided_by = person_key("decided_replies")
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["reply", "criterion"], name="reply_value_once"),
            models.CheckConstraint(
                name="reply_value_where_read",
                condition=Q(problem="", value__isnull=False, decided_at__isnull=True)
                | ~Q(problem="") & (Q(value__isnull=True) | Q(decided_at__isnull=False)),
            ),
            models.CheckConstraint(
                name="reply_value_decided_at_and_by_paired",
                condition=Q(decided_at__isnull=True, decided_by__isnull=True)
                | Q(decided_at__isnull=False, decided_by__isnull=False),
            ),
            models.CheckConstraint(
                name="reply_value_agreement_is_a_share",
                condition=Q(agreement__isnull=True) | Q(agreement__gt=0, agreement__lte=1),
            ),
        ]
        indexes = [models.Index(fields=["reply"], name="reply_value_unreadable", condition=~Q(problem=""))]

    def __str__(self) -> str:
        return f"{self.value} by reply {self.reply_id}"

    @property
    def is_waiting(self) -> bool:
        """Nothing could be read, and nobody has looked at it yet."""
        return bool(self.problem) and self.decided_at is None


class PromptTrial(Job):
    """A prompt tried on a few items while it is written. Its answers are kept, as they were paid for; none is a label.

    `items` were named, or drawn by `Job.seed`; `parameters` are those of a run.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="prompt_trials")
    name = models.CharField(max_length=100, blank=True)  # under which it is being written
    body = models.TextField()
    model = models.CharField(max_length=80)
    items = ArrayField(models.BigIntegerField())

    def __str__(self) -> str:
        return f"trial {self.pk} of a prompt"


class TrialAnswer(models.Model):
    """What a model said of one item in a trial, or why there is no answer (`problem`). Who looks at it reads it."""

    trial = models.ForeignKey(PromptTrial, on_delete=models.CASCADE, related_name="answers", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="+")
    text = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=20, blank=True)
    problem = models.CharField(max_length=500, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    cost = models.DecimalField(max_digits=16, decimal_places=8, null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    received_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["trial", "item"], name="trial_answer_once")]

    def __str__(self) -> str:
        return f"answer of {self.trial_id} on {self.item_id}"


class UnparsedAnswer(models.Model):
    """An answer of an imported machine from which no value could be read: DORIS-MAE's score of -1.

    It is kept with the machine's text, where the file has it. It is not a label and enters no statistic, sum or vote.
    """

    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="unparsed_answers", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="unparsed_answers")
    criterion = models.ForeignKey(Criterion, on_delete=models.CASCADE, related_name="unparsed_answers")
    text = models.TextField(blank=True)
    received_at = models.DateTimeField()
    imported_in = imported_in()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["annotator", "item", "criterion"], name="unparsed_answer_once"),
        ]

    def __str__(self) -> str:
        return f"unparsed answer {self.pk}"
