"""Items, annotators, and which annotator judges which item."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models import person_key
from annotation.models.campaigns import Campaign, Split
from corpus.models import Aspect, Document, InvitedRole, Paper, Topic
from corpus.models.imports import imported_in
from engines.definitions.settings import ANNOTATOR_NAME


class Item(models.Model):
    """What is judged once by each of its annotators: a topic, an (aspect, document) or (topic, document) pair, a paper.

    A paper is an item without a topic. `split` repeats the campaign's (a composite foreign key holds them
    equal), so that a constraint can keep the dev and test pairs of a collection apart: each pair (or paper) is in at
    most one of them.
    """

    # No separate foreign key, the composite one covers it; and no index, `item_once_per_campaign` begins with it.
    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="items", db_constraint=False, db_index=False
    )
    split = models.CharField(max_length=4, choices=Split)
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, null=True, blank=True, related_name="items")
    aspect = models.ForeignKey(
        Aspect, on_delete=models.PROTECT, null=True, blank=True, related_name="items", db_index=False
    )
    document = models.ForeignKey(Document, on_delete=models.PROTECT, null=True, blank=True, related_name="items")
    paper = models.ForeignKey(
        Paper, on_delete=models.PROTECT, null=True, blank=True, related_name="items", db_index=False
    )
    extra_overlap = models.PositiveSmallIntegerField(default=0)  # more judges asked for than the campaign's overlap

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "topic", "aspect", "document", "paper"],
                name="item_once_per_campaign",
                nulls_distinct=False,
            ),
            models.UniqueConstraint(
                fields=["topic", "aspect", "document", "paper"],
                condition=Q(split__in=[Split.DEV, Split.TEST]),
                name="item_in_one_held_out_split",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                name="item_topic_or_paper",
                condition=Q(topic__isnull=False, paper__isnull=True)
                | Q(topic__isnull=True, paper__isnull=False, aspect__isnull=True, document__isnull=True),
            ),
        ]
        indexes = [  # without the rows that have none: in most campaigns all of them
            models.Index(fields=["aspect"], name="item_aspect", condition=Q(aspect__isnull=False)),
            models.Index(fields=["paper"], name="item_paper", condition=Q(paper__isnull=False)),
            # Sent back: the few for which more judges are asked than the campaign asks for.
            models.Index(fields=["campaign"], name="item_sent_back", condition=Q(extra_overlap__gt=0)),
        ]

    def __str__(self) -> str:
        return f"item {self.pk}"


class AnnotatorKind(models.TextChoices):
    HUMAN = "human", "person"
    MACHINE = "machine", "machine"


class AnnotatorState(models.TextChoices):
    ACTIVE = "active", "active"
    PAUSED = "paused", "paused"
    REMOVED = "removed", "removed"


class Annotator(models.Model):
    """A person in a campaign, or one run of a machine over it. A person may be known by name only (imported labels)."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="annotators")
    name = models.CharField(max_length=ANNOTATOR_NAME.most)
    kind = models.CharField(max_length=7, choices=AnnotatorKind, default=AnnotatorKind.HUMAN)
    user = person_key("annotators")
    # Who was chosen before they joined; joining puts the person in its place (annotation/assignment/annotators.py).
    invited = models.ForeignKey(
        InvitedRole, on_delete=models.SET_NULL, null=True, blank=True, related_name="annotators"
    )
    state = models.CharField(max_length=7, choices=AnnotatorState, default=AnnotatorState.ACTIVE)
    weight = models.FloatField(default=1.0)  # share of the load relative to the others, and of the vote
    capacity = models.PositiveIntegerField(null=True, blank=True)  # most items to assign; null: no cap
    pay_rate = models.FloatField(null=True, blank=True)  # null: the campaign's
    # When they withdrew their consent: the name is a pseudonym from then on, until they are added again.
    withdrew_at = models.DateTimeField(null=True, blank=True)
    model = models.CharField(max_length=150, blank=True)  # machine: what answered
    run_number = models.PositiveSmallIntegerField(default=1)
    order_seed = models.BigIntegerField(default=0)  # shuffles this annotator's order
    guideline_seen = models.PositiveIntegerField(default=0)  # newest version shown to this annotator
    # The newest version that they folded away; 0: they keep the guideline open.
    guideline_folded = models.PositiveIntegerField(default=0)
    queue_position = models.PositiveIntegerField(default=0)  # how far into the open queue this annotator has gone
    visit = models.PositiveIntegerField(default=0)  # how often they have opened the labelling page of an open queue
    created_at = models.DateTimeField()
    imported_in = imported_in()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="annotator_name_unique"),
            models.UniqueConstraint(
                fields=["campaign", "user"], name="annotator_user_once", condition=Q(user__isnull=False)
            ),
            models.UniqueConstraint(
                fields=["campaign", "invited"], name="annotator_invited_once", condition=Q(invited__isnull=False)
            ),
            models.CheckConstraint(
                name="annotator_invited_is_to_come",
                condition=Q(invited__isnull=True) | Q(kind="human", user__isnull=True),
            ),
            models.CheckConstraint(
                name="annotator_machine_is_nobody", condition=~Q(kind="machine", user__isnull=False)
            ),
            models.CheckConstraint(
                name="annotator_who_withdrew_is_removed", condition=Q(withdrew_at__isnull=True) | Q(state="removed")
            ),
            models.CheckConstraint(name="annotator_weight_positive", condition=Q(weight__gt=0)),
            models.CheckConstraint(name="annotator_pay_rate_not_negative", condition=Q(pay_rate__gte=0)),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def identity(self) -> str:
        """Who or what it is, next to its name."""
        if self.kind == AnnotatorKind.MACHINE:
            return f"a machine, {self.model}" if self.model else "a machine"
        if self.invited_id:
            return "invited, has not joined yet"
        if self.withdrew_at:
            return "withdrew their consent"
        return self.user.email if self.user else "without an account"


class AssignmentState(models.TextChoices):
    OPEN = "open", "free to take"
    PENDING = "pending", "to do"
    DONE = "done", "done"
    SKIPPED = "skipped", "skipped"
    WITHDRAWN = "withdrawn", "withdrawn"


class Asked(models.IntegerChoices):
    """Why somebody is asked about an item. Only the first counts as a judgment of it; nobody can tell them apart."""

    TO_JUDGE = 0, "to judge it"
    AGAIN = 1, "again, for self-consistency"
    CHECK = 2, "its answer is known: hidden gold"
    REJUDGE = 3, "again, by a changed guideline: the answer takes the place of the former judgment"


# A judgment that was made again has `repeat` FORMER times the round, plus why it was asked. It counts no longer.
FORMER = 10
SLOT_STATES = [AssignmentState.OPEN, AssignmentState.PENDING, AssignmentState.DONE]


class Assignment(models.Model):
    """One annotator's work on one item.

    A human assignment that counts holds a slot (1..overlap) of its item, and a slot is held once: so an item can
    never get more than k valid human judgments, whatever the race. Skipped and withdrawn ones give their slot back.
    In an open queue the free slots are rows in state open without an annotator; taking one fills in the annotator
    and a lease. All slots of an item stand at the same `position` of the queue, so that a reader who goes through it in
    order meets each item once. `queue` is the item's campaign (a composite foreign key holds it) where that is an
    open queue, so that the next free slot is one step in an index however many items there are.
    Machines, hidden repeats and hidden gold hold no slot, nor do former judgments and what is asked in their place.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="assignments")
    queue = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, null=True, blank=True, related_name="+", db_index=False
    )
    # Every index on this table is paid for with each judgment; `assignment_history` serves look-ups by annotator.
    annotator = models.ForeignKey(
        Annotator, on_delete=models.PROTECT, null=True, blank=True, related_name="assignments", db_index=False
    )
    state = models.CharField(max_length=9, choices=AssignmentState)
    slot = models.PositiveSmallIntegerField(null=True, blank=True)
    repeat = models.PositiveSmallIntegerField(default=Asked.TO_JUDGE)  # Asked, or that of a FORMER judgment
    position = models.PositiveIntegerField(default=0)  # in the annotator's order; in an open queue, the queue's order
    lease_expires_at = models.DateTimeField(null=True, blank=True)  # open queue only
    held_by = models.JSONField(null=True, blank=True)  # while under lease: {browser: number of its newest visit}
    finished_at = models.DateTimeField(null=True, blank=True)
    sent_back_at = models.DateTimeField(null=True, blank=True)  # when an adjudicator asked this person in addition
    imported_in = imported_in()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "annotator", "repeat"], name="assignment_once", condition=Q(annotator__isnull=False)
            ),
            models.UniqueConstraint(
                fields=["item", "slot"], name="assignment_slot_held_once", condition=Q(slot__isnull=False)
            ),
            models.CheckConstraint(
                name="assignment_open_has_nobody",
                condition=Q(state="open", annotator__isnull=True) | (~Q(state="open") & Q(annotator__isnull=False)),
            ),
            models.CheckConstraint(
                name="assignment_open_is_in_a_queue", condition=~Q(state="open") | Q(queue__isnull=False)
            ),
            models.CheckConstraint(
                name="assignment_slot_only_where_it_counts", condition=Q(slot__isnull=True) | Q(state__in=SLOT_STATES)
            ),
            models.CheckConstraint(
                name="assignment_check_holds_no_slot", condition=Q(repeat__lt=Asked.CHECK) | Q(slot__isnull=True)
            ),
            models.CheckConstraint(
                name="assignment_finished_when_done", condition=~Q(state="done") | Q(finished_at__isnull=False)
            ),
            models.CheckConstraint(
                name="assignment_held_under_lease",
                condition=Q(held_by__isnull=True) | Q(state="pending", queue__isnull=False),
            ),
        ]
        indexes = [
            # A person's next pending assignment, and a person's own history by time, without reading the rest.
            models.Index(fields=["annotator", "position"], name="assignment_next", condition=Q(state="pending")),
            models.Index(fields=["annotator", "-finished_at"], name="assignment_history"),
            # The open queue: its free slots in order, and the leases that have run out.
            models.Index(fields=["queue", "position"], name="assignment_free", condition=Q(state="open")),
            models.Index(
                fields=["queue", "lease_expires_at"],
                name="assignment_lease",
                condition=Q(state="pending", lease_expires_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} by {self.annotator_id}"


class VotesSeen(models.Model):
    """A person who acted on an item's votes (decided it, sent it back, opened it as a manager) no longer judges it.

    By person and not by annotator, so that people who join the campaign afterwards are covered as well.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="votes_seen")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "user"], name="votes_seen_once")]

    def __str__(self) -> str:
        return f"{self.item_id} by {self.user_id}"
