"""Campaigns: what is asked, on which scale, by which guideline, how often."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_noop

from accounts.models import person_key
from annotation.apps import AnnotationConfig
from annotation.kind import Judged, Kind, kind_by_name, kinds
from corpus.models.collections import Collection, InCollection
from engines.definitions.settings import LEASE, LEASE_MINUTES, NAME, OVERLAP, PASS_MARK, SEED

LIMITED = {"overlap": OVERLAP, "lease_minutes": LEASE, "seed": SEED, "pass_mark": PASS_MARK}
KIND_CHOICES = [(name, name) for name in AnnotationConfig.campaign_kinds]


class CampaignState(models.TextChoices):
    DRAFT = "draft", gettext_noop("draft")
    OPEN = "open", gettext_noop("open")
    CLOSED = "closed", gettext_noop("closed")


class Split(models.TextChoices):
    DEV = "dev", gettext_noop("development")
    TEST = "test", gettext_noop("test")
    MAIN = "main", "main"


class Order(models.TextChoices):
    BY_ASPECT = "by-aspect", "one aspect, many abstracts"
    BY_DOCUMENT = "by-document", "one abstract, all aspects"


class Strategy(models.TextChoices):
    PLANNED = "planned", "assigned in advance"
    QUEUE = "queue", "open queue, first come first served"


class Purpose(models.TextChoices):
    """What a campaign is for. In practice everybody answers every item, and no answer becomes a result."""

    JUDGING = "judging", "judging"
    TRAINING = "training", "training: the known answer is shown after each answer"
    QUALIFICATION = "qualification", "qualification: who reaches the pass mark has passed"

    @property
    def is_practice(self) -> bool:
        return self is not Purpose.JUDGING

    @property
    def gives_feedback(self) -> bool:
        return self is Purpose.TRAINING

    @property
    def has_to_be_passed(self) -> bool:
        return self is Purpose.QUALIFICATION


class CampaignSet(InCollection):
    """Campaigns, chosen by what their kinds are like."""

    def counted(self) -> "CampaignSet":
        """Those whose labels are results: practice is none."""
        return self.filter(purpose=Purpose.JUDGING)

    def judging(self, judged: Judged) -> "CampaignSet":
        """Those whose items are of this sort."""
        return self.filter(kind__in=[each.name for each in kinds() if each.judges == judged])

    def graded(self) -> "CampaignSet":
        """Those whose items get a level of each criterion."""
        return self.filter(kind__in=[each.name for each in kinds() if not each.no_criteria])


class Campaign(models.Model):
    """One round of judging in a collection. `overlap` is the number of human judgments each item gets."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="campaigns")
    slug = models.SlugField(max_length=80)
    name = models.CharField(max_length=NAME.most)
    kind = models.CharField(max_length=12, choices=KIND_CHOICES)
    split = models.CharField(max_length=4, choices=Split, default=Split.MAIN)
    purpose = models.CharField(max_length=13, choices=Purpose, default=Purpose.JUDGING)
    # Percent of known answers to get right: to pass, or in judging not to be reported to the managers.
    pass_mark = models.PositiveSmallIntegerField(null=True, blank=True)
    state = models.CharField(max_length=6, choices=CampaignState, default=CampaignState.DRAFT)
    overlap = models.PositiveSmallIntegerField(default=3)
    order = models.CharField(max_length=12, choices=Order, default=Order.BY_ASPECT)
    strategy = models.CharField(max_length=8, choices=Strategy, default=Strategy.PLANNED)
    seed = models.BigIntegerField()
    lease_minutes = models.PositiveSmallIntegerField(default=LEASE_MINUTES)
    shows_former = models.BooleanField(default=False)  # whether people see what they are judging again as they had it
    options = models.JSONField(default=dict, blank=True)  # of its kind: see annotation.kind.KindOptions
    deadline = models.DateField(null=True, blank=True)  # the last day to judge; people are informed, nothing is locked
    created_at = models.DateTimeField()
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = CampaignSet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "slug"], name="campaign_slug_unique"),
            models.CheckConstraint(name="campaign_kind_known", condition=models.Q(kind__in=[*dict(KIND_CHOICES)])),
            models.CheckConstraint(name="campaign_split_known", condition=models.Q(split__in=Split.values)),
            models.CheckConstraint(name="campaign_purpose_known", condition=models.Q(purpose__in=Purpose.values)),
            models.CheckConstraint(
                name="campaign_qualification_has_a_mark",
                condition=~models.Q(purpose=Purpose.QUALIFICATION) | models.Q(pass_mark__isnull=False),
            ),
            models.CheckConstraint(name="campaign_state_known", condition=models.Q(state__in=CampaignState.values)),
            *(
                models.CheckConstraint(
                    name=f"campaign_{field}_within",
                    condition=models.Q((f"{field}__range", (limits.least, limits.most))),
                )
                for field, limits in LIMITED.items()
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def kind_object(self) -> Kind:
        """All that its kind varies in."""
        return kind_by_name(self.kind)

    @property
    def for_what(self) -> Purpose:
        """Its purpose, with what follows from it."""
        return Purpose(self.purpose)


class Scale(models.TextChoices):
    ORDINAL = "ordinal", "ordinal"
    NOMINAL = "nominal", "nominal"


class Criterion(models.Model):
    """One question put for every item, answered by one of its levels."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="criteria")
    key = models.SlugField(max_length=40)
    label = models.CharField(max_length=100)
    question = models.TextField(blank=True)
    scale = models.CharField(max_length=8, choices=Scale, default=Scale.ORDINAL)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "id"]
        constraints = [models.UniqueConstraint(fields=["campaign", "key"], name="criterion_key_unique")]

    def __str__(self) -> str:
        return self.label


class Level(models.Model):
    """One answer on a criterion's scale. A judgment's (criterion, value) must be a level: a foreign key holds it."""

    criterion = models.ForeignKey(Criterion, on_delete=models.CASCADE, related_name="levels")
    value = models.SmallIntegerField()
    label = models.CharField(max_length=60)
    definition = models.TextField(blank=True)
    example = models.TextField(blank=True)
    reasons = ArrayField(
        models.CharField(max_length=60), default=list, blank=True
    )  # one is demanded where there are any

    class Meta:
        ordering = ["value"]
        constraints = [models.UniqueConstraint(fields=["criterion", "value"], name="level_value_unique")]

    def __str__(self) -> str:
        return str(self.value) if self.label == str(self.value) else f"{self.value} {self.label}"


class Guideline(models.Model):
    """A version of the campaign's guideline, in Markdown. Versions are never changed, only followed by the next."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="guidelines")
    version = models.PositiveIntegerField()
    body = models.TextField()
    created_at = models.DateTimeField()
    created_by = person_key("guidelines")  # null: the command line

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(fields=["campaign", "version"], name="guideline_version_unique")]

    def __str__(self) -> str:
        return f"version {self.version}"
