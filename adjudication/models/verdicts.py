"""Votes and verdicts: the value an item finally has, and how it came by it."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.counting import by, counted, moment, share_in_percent
from accounts.models import Job, person_key
from annotation.models import Campaign, Criterion, Item
from engines.definitions.settings import ANNOTATOR_NAME

UNSURE = 0.9  # a value less probable than this is to be checked


class Voters(models.TextChoices):
    HUMANS = "humans", "people"
    MACHINES = "machines", "machines"
    ALL = "all", "people and machines"


class VoteRun(Job):
    """One majority vote over a snapshot of a campaign's judgments."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="vote_runs")
    ties = models.CharField(max_length=60, default="adjudicate")  # a name of engines.stats.policies
    min_votes = models.PositiveSmallIntegerField(default=2)
    snapshot = models.BigIntegerField(null=True, blank=True)
    inputs_hash = models.CharField(max_length=64, blank=True)
    counts = models.JSONField(
        default=dict, blank=True
    )  # {"unanimous", "single", "majority", "tie_resolved", "excluded", "by_hand", "unresolved"}: each verdict once
    # {criterion key: {"counts": {…}, "sensitivity": […], "dawid_skene": {…}, "confusion": […]}}: as `counts`, of this
    # criterion; what other policies would have made of the same votes; who says what by the model of the people
    detail = models.JSONField(default=dict, blank=True)
    cleared = models.PositiveIntegerField(default=0)  # verdicts that went because nobody's label was left

    def __str__(self) -> str:
        return f"vote {self.pk}"

    @property
    def voters(self) -> str:
        """Who has a vote: humans, machines or all."""
        return str(self.parameters.get("voters", Voters.HUMANS))

    @property
    def least(self) -> str:
        """How many votes an item needs, in words."""
        return f"at least {self.min_votes} vote{'' if self.min_votes == 1 else 's'}"

    @property
    def outcomes(self) -> str:
        """How many verdicts came by which way when they were counted, each once, in words; "" for none."""
        return _in_words(self.counts)

    def is_counted_by(self, criterion: str) -> bool:
        """Whether it has several criteria, and `outcomes_of` this one are of it alone."""
        return len(self.detail) > 1 and "counts" in self.detail.get(criterion, {})

    def outcomes_of(self, criterion: str) -> str:
        """Those of one criterion; of counts before these were noted, those of all, which is said if there are more."""
        counts = self.detail.get(criterion, {}).get("counts")
        if counts is not None or len(self.detail) < 2 or not self.outcomes:
            return _in_words(self.counts if counts is None else counts)
        return f"{self.outcomes}, over all criteria"

    @property
    def result(self) -> str:
        """What it came to, in a sentence. A verdict is one item by one criterion."""
        ways = [self.counts.get(_COUNTED_AS.get(method, method.value), 0) for method in Method]
        undecided, excluded = self.counts.get("unresolved", 0), self.counts.get("excluded", 0)
        noun = "item" if len(self.detail) <= 1 else "verdict"
        left_out = f", {excluded:,} left out" if excluded else ""
        open_ones = f", {undecided:,} left open (ties, or too few votes)" if undecided else ", none left open"
        return f"Votes counted: {counted(sum(ways) - undecided - excluded, noun)} decided{left_out}{open_ones}."

    @property
    def ties_label(self) -> str:
        """The rule for ties in words; its name where its package is missing."""
        from engines.stats.policies import tie_policy  # loads NumPy, which most commands never need

        return tie_policy(self.ties).label


class VoteAcceptance(Job):
    """Very many votes accepted in bulk, or such an acceptance taken back, step by step.

    `parameters` say which: {"criterion", "methods", "topic", "value", "vote_run", "after"}, or {"accepted_at"}.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="vote_acceptances")
    changed = models.PositiveIntegerField(default=0)  # verdicts, stored with each step

    def __str__(self) -> str:
        return f"acceptance {self.pk}"

    @property
    def is_undoing(self) -> bool:
        return "accepted_at" in self.parameters


class Method(models.TextChoices):
    """How an item came by its value, or did not. The words stand behind a number as well as behind a value."""

    UNANIMOUS = "unanimous", "unanimous"  # two equal votes or more
    SINGLE = "single", "by a single label"
    MAJORITY = "majority", "by majority"
    TIE_POLICY = "tie-policy", "by the rule for ties"
    EXCLUDED = "excluded", "left out by the rule for ties"
    BY_HAND = "by-hand", "by an adjudicator"
    UNRESOLVED = "unresolved", "undecided"


_COUNTED_AS = {Method.TIE_POLICY: "tie_resolved", Method.BY_HAND: "by_hand"}  # as `VoteRun.counts` has them


def _in_words(counts: dict[str, int]) -> str:
    ways = {method: counts.get(_COUNTED_AS.get(method, method.value), 0) for method in Method}
    return ", ".join(f"{count:,} {method.label}" for method, count in ways.items() if count)


class Cause(models.TextChoices):
    AMBIGUOUS = "ambiguous", "ambiguous item"
    GUIDELINE = "guideline", "guideline gap"
    ERROR = "error", "annotator error"
    EDGE = "edge", "edge case"
    SUBJECTIVE = "subjective", "subjective"


class Unknown(models.TextChoices):
    """Why the model of the people who judged gives a verdict no probability. The words follow a colon."""

    NO_VALUE = "no_value", "the votes give no value"
    FEW_VOTES = "few_votes", "fewer than two people have judged the item"
    ONE_LEVEL = "one_level", "people have used one level only, so nothing shows who errs"
    UNUSED_LEVEL = "unused_level", "no person has ever used this level"
    NOT_CONVERGED = "not_converged", "the model did not converge"
    SWITCHED = "switched", "the model may have swapped levels"
    BY_HAND = "by_hand", "an adjudicator has decided it, and the model is about votes"
    NO_COUNT = "no_count", "the votes have not been counted since"


def shown_probability(probability: float | None) -> str:
    """How probable a value is, "" where that is not known. Never 100%: the model tends to overrate."""
    if probability is None or 0.01 <= probability <= 0.99:
        return share_in_percent(probability)
    return "over 99%" if probability > 0.5 else "under 1%"


class OwnDecider(models.Model):
    """A manager who decides items of this campaign that they judged themselves, as nobody else there decides.

    Chosen once, and logged; it counts as long as they are alone (adjudication/labels/rules.py).
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="own_deciders")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "user"], name="own_decider_once")]

    def __str__(self) -> str:
        return f"{self.campaign_id} by {self.user_id}"


class Verdict(models.Model):
    """The item's value on a criterion now, with the votes it stands on. A decision by hand always wins over a vote."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="verdicts")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="verdicts")
    value = models.SmallIntegerField(null=True, blank=True)
    method = models.CharField(max_length=10, choices=Method)
    votes = models.JSONField(default=list)  # [[annotator id, value], …] by annotator id, when it was reached
    n_votes = models.PositiveSmallIntegerField(default=0)
    agreement = models.FloatField(default=1.0)  # share of the pairs of votes that are equal; 1 when there is no pair
    # That the value is true, by Dawid and Skene's model of the people who judged, as of the newest count; or why it is
    # not known. Both are empty where the votes were counted before Litmus knew it.
    probability = models.FloatField(null=True, blank=True)
    probability_reason = models.CharField(max_length=13, choices=Unknown, blank=True, default="", db_default="")
    machine_differs = models.BooleanField(default=False)  # a machine's label is not the value (or not among the votes)
    # A count by whose rules the verdict stands: the newest, or an earlier one by the same rules.
    vote_run = models.ForeignKey(VoteRun, on_delete=models.SET_NULL, null=True, blank=True, related_name="verdicts")
    decided_by = person_key("verdicts")
    decided_at = models.DateTimeField(null=True, blank=True)
    comment = models.TextField(blank=True)
    cause = models.CharField(max_length=10, choices=Cause, blank=True)
    reopened_at = models.DateTimeField(null=True, blank=True)  # a vote came after the decision: look again
    # The acceptance that the newest reopening took away: {"value", "method", "votes", "at", "by"}.
    reopened_from = models.JSONField(null=True, blank=True)
    changed_at = models.DateTimeField(null=True, blank=True)  # when the value last changed, by the database's clock

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "criterion"], name="verdict_once"),
            models.CheckConstraint(
                name="verdict_decided_at_and_by_paired",
                condition=Q(decided_at__isnull=True, decided_by__isnull=True)
                | Q(decided_at__isnull=False, decided_by__isnull=False),
            ),
            models.CheckConstraint(
                name="verdict_by_hand_has_somebody", condition=~Q(method="by-hand") | Q(decided_by__isnull=False)
            ),
            models.CheckConstraint(
                name="verdict_unresolved_has_no_value", condition=~Q(method="unresolved") | Q(value__isnull=True)
            ),
            models.CheckConstraint(
                name="verdict_excluded_has_no_value", condition=~Q(method="excluded") | Q(value__isnull=True)
            ),
            models.CheckConstraint(
                name="verdict_unanimous_has_two_votes", condition=~Q(method="unanimous") | Q(n_votes__gte=2)
            ),
            models.CheckConstraint(name="verdict_single_has_one_vote", condition=~Q(method="single") | Q(n_votes=1)),
            models.CheckConstraint(
                name="verdict_probability_of_voted_value",
                condition=Q(probability__isnull=True)
                | (Q(probability__range=(0, 1), probability_reason="", value__isnull=False) & ~Q(method="by-hand")),
            ),
        ]
        indexes = [
            # The adjudicator's queue: one criterion, one method, lowest agreement first.
            models.Index(fields=["criterion", "method", "agreement", "id"], name="verdict_queue"),
            # The same over all methods, for the few that it shows: in a large campaign among millions that it does not.
            models.Index(
                fields=["criterion", "agreement", "id"], name="verdict_machine", condition=Q(machine_differs=True)
            ),
            models.Index(
                fields=["criterion", "agreement", "id"], name="verdict_reopened", condition=Q(reopened_at__isnull=False)
            ),
            models.Index(
                fields=["criterion", "agreement", "id"], name="verdict_decided", condition=Q(decided_at__isnull=False)
            ),
            # Values that the model doubts, not decided yet.
            models.Index(
                fields=["criterion", "agreement", "id"],
                name="verdict_unsure",
                condition=Q(probability__lt=UNSURE, decided_at__isnull=True),
            ),
            # Without enough votes, and tied.
            models.Index(
                fields=["criterion", "n_votes", "agreement", "id"],
                name="verdict_unresolved",
                condition=Q(method="unresolved"),
            ),
            # Disagreements, the lowest agreement first.
            models.Index(
                fields=["criterion", "agreement", "item"], name="verdict_disagreement", condition=Q(agreement__lt=1)
            ),
            # What has changed since figures were made from the verdicts.
            models.Index(fields=["criterion", "changed_at"], name="verdict_changed"),
            # A person's newest acceptance in bulk, and what was accepted in it.
            models.Index(
                fields=["decided_by", "decided_at"], name="verdict_accepted", condition=Q(decided_by__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"verdict on item {self.item_id}"

    @property
    def agreement_text(self) -> str:
        """How far its votes agree."""
        if self.n_votes > 1:
            return f"{share_in_percent(self.agreement)} of pairs agree"
        return "one label" if self.n_votes else "no label"

    @property
    def probability_text(self) -> str:
        return shown_probability(self.probability)

    @property
    def decision_text(self) -> SafeString | str:
        """Who decided or accepted it, when and why; it must have been decided."""
        done = "Decided" if self.method == Method.BY_HAND else "Accepted"
        value = "" if self.value is None else format_html(": <strong>{}</strong>", self.value)
        cause = f", {self.get_cause_display()}" if self.cause else ""
        who = by(self.decided_by)
        return format_html("{}{}, {}{}{}.", done, who, moment(self.decided_at), value, cause) if self.decided_at else ""


class MachineCorrection(models.Model):
    """A person's judgment made in sight of a machine's label, which it corrects or accepts; it decides the item.

    Append-only: only `undone_at` is ever filled in, when the decision is withdrawn or another one takes its place. It
    is no vote, and as the person saw what the machine said, it enters no figure of agreement; nor does the verdict it
    gave, which has `decided_at` equal to `given_at`.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="machine_corrections")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="machine_corrections")
    machine = models.CharField(max_length=ANNOTATOR_NAME.most)  # its name: the import of its labels may be undone
    said = models.SmallIntegerField()
    value = models.SmallIntegerField()
    given_by = person_key("machine_corrections")
    given_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "criterion"], name="machine_correction_stands_once", condition=Q(undone_at__isnull=True)
            ),
            models.CheckConstraint(
                name="machine_correction_undone_afterwards",
                condition=Q(undone_at__isnull=True) | Q(undone_at__gte=models.F("given_at")),
            ),
        ]

    def __str__(self) -> str:
        return f"correction of item {self.item_id}"
