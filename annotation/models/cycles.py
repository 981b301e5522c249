"""One cycle of Anno-GPT: tune a machine on a dev set, freeze it, test it on labels nobody who tuned has seen."""

from django.db import models
from django.db.models import Q

from accounts.models import person_key
from annotation.models.campaigns import Campaign, Split
from corpus.models import Collection, PromptTemplate
from corpus.models.collections import InCollection


class MachineSource(models.TextChoices):
    ENDPOINT = "endpoint", "language model"
    LEXICAL = "lexical", "lexical baseline"
    COMMITTEE = "committee", "committee of machines"
    IMPORTED = "imported", "imported labels"


class Outcome(models.TextChoices):
    ANNOTATE = "annotate", "annotate everything"
    AGAIN = "again", "a new cycle"
    STOP = "stop", "no machine"


class AnnoCycle(models.Model):
    """Where a cycle stands follows from what is set: a test set, a frozen machine, an outcome.

    A test set serves one cycle only (`test` is unique, and held-out campaigns share no pair), so a new cycle needs a
    fresh one. Composite foreign keys hold `dev_split` and `test_split` equal to those of the campaigns.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="anno_cycles")
    number = models.PositiveSmallIntegerField()
    criterion = models.SlugField(max_length=40)  # of both campaigns, with the same levels
    dev = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="dev_cycles")
    dev_split = models.CharField(max_length=4, choices=Split, default=Split.DEV)
    test = models.OneToOneField(Campaign, on_delete=models.PROTECT, null=True, blank=True, related_name="test_cycle")
    test_split = models.CharField(max_length=4, choices=Split, default=Split.TEST)
    test_chosen_at = models.DateTimeField(null=True, blank=True)
    seen_before = models.PositiveIntegerField(default=0)  # people's labels in the test set from before it was sealed
    margin = models.FloatField()  # of equivalence, as a share: 0.05 is five points; chosen before the test
    runs = models.PositiveSmallIntegerField(default=2)  # of the frozen machine on the test set
    created_by = person_key("anno_cycles")
    created_at = models.DateTimeField()

    frozen_source = models.CharField(max_length=9, choices=MachineSource, blank=True)
    frozen_name = models.CharField(max_length=150, blank=True)  # the machine's name among the annotators of the dev set
    frozen_prompt = models.ForeignKey(
        PromptTemplate, on_delete=models.PROTECT, null=True, blank=True, related_name="anno_cycles"
    )
    frozen_recipe = models.JSONField(default=dict, blank=True)
    frozen_hash = models.CharField(max_length=64, blank=True)
    frozen_by = person_key("frozen_cycles")
    frozen_at = models.DateTimeField(null=True, blank=True)

    outcome = models.CharField(max_length=8, choices=Outcome, blank=True)
    reason = models.TextField(blank=True)
    evidence = models.JSONField(default=list, blank=True)  # the table of the test as it was when it was decided
    test_passed = models.BooleanField(null=True, blank=True)  # equivalence within the margin; null: never computed
    is_override = models.BooleanField(default=False)  # annotating although the test was not passed; `reason` says why
    decided_by = person_key("decided_cycles")
    decided_at = models.DateTimeField(null=True, blank=True)

    objects = InCollection.as_manager()

    class Meta:
        ordering = ["collection", "number"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "number"], name="anno_cycle_number_unique"),
            models.UniqueConstraint(
                fields=["collection", "criterion"], name="anno_cycle_one_open", condition=Q(outcome="")
            ),
            models.CheckConstraint(name="anno_cycle_dev_is_dev", condition=Q(dev_split="dev")),
            models.CheckConstraint(name="anno_cycle_test_is_test", condition=Q(test_split="test")),
            models.CheckConstraint(
                name="anno_cycle_test_has_time",
                condition=Q(test__isnull=True, test_chosen_at__isnull=True)
                | Q(test__isnull=False, test_chosen_at__isnull=False),
            ),
            models.CheckConstraint(name="anno_cycle_margin", condition=Q(margin__gt=0, margin__lt=2)),
            models.CheckConstraint(name="anno_cycle_runs", condition=Q(runs__gte=1)),
            models.CheckConstraint(
                name="anno_cycle_frozen_whole",
                condition=Q(frozen_at__isnull=True, frozen_hash="", frozen_source="")
                | Q(frozen_at__isnull=False, frozen_hash__regex=r"^[0-9a-f]{64}$") & ~Q(frozen_source=""),
            ),
            models.CheckConstraint(
                name="anno_cycle_decided_whole",
                condition=Q(outcome="", decided_at__isnull=True)
                | Q(decided_at__isnull=False, outcome__in=Outcome.values) & ~Q(reason=""),
            ),
            models.CheckConstraint(
                name="anno_cycle_annotate_after_test",
                condition=~Q(outcome="annotate") | Q(test__isnull=False, frozen_at__isnull=False),
            ),
            models.CheckConstraint(
                name="anno_cycle_annotate_passed_or_overridden",
                condition=Q(is_override=False) & ~Q(outcome="annotate")
                | Q(outcome="annotate", is_override=False, test_passed__isnull=False, test_passed=True)
                | Q(outcome="annotate", is_override=True) & (Q(test_passed=False) | Q(test_passed__isnull=True)),
            ),
        ]

    def __str__(self) -> str:
        return f"cycle {self.number}"

    @property
    def words(self) -> str:
        """Where it stands, in a few words."""
        if not self.outcome:
            return "open"
        return self.get_outcome_display() + (", test overridden" if self.is_override else "")

    @property
    def badge(self) -> str:
        """The class of the badge that says so."""
        if self.outcome == Outcome.ANNOTATE:
            return "warn" if self.is_override else "ok"
        return "" if self.outcome else "info"

    @property
    def is_open(self) -> bool:
        return not self.outcome

    @property
    def is_frozen(self) -> bool:
        return self.frozen_at is not None
