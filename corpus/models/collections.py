"""Collections and the people in them."""

from typing import TYPE_CHECKING, Any, Self

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.utils.translation import gettext_noop

from accounts.models import FINAL_STATES, Invitation, Job
from engines.text.languages import ENGLISH, LANGUAGES

if TYPE_CHECKING:
    from accounts.models import User


LANGUAGE_CHOICES = [(each.code, each.name) for each in LANGUAGES.values()]


class Role(models.TextChoices):
    MANAGER = "manager", gettext_noop("manager")
    ADJUDICATOR = "adjudicator", gettext_noop("adjudicator")
    ANNOTATOR = "annotator", gettext_noop("annotator")
    VIEWER = "viewer", gettext_noop("viewer")


class InCollection(models.QuerySet[Any]):
    """Rows that belong to a collection through `collection`."""

    def visible_to(self, user: "User | AnonymousUser") -> Self:
        """Those in collections the person is a member of; nobody else learns that they exist."""
        return self.filter(collection__memberships__user_id=user.pk)


class CollectionQuerySet(models.QuerySet["Collection"]):
    def visible_to(self, user: "User | AnonymousUser") -> Self:
        return self.filter(memberships__user_id=user.pk)


class Collection(models.Model):
    """A test collection in the making: everything else belongs to exactly one."""

    slug = models.SlugField(max_length=80, unique=True)  # a trigger keeps it in CollectionAddress for ever
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    licence = models.CharField(max_length=200, blank=True)
    language = models.CharField(max_length=3, choices=LANGUAGE_CHOICES, default=ENGLISH)  # of most of its texts
    created_at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True, blank=True)  # since then it is read-only

    objects = CollectionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(name="collection_language_known", condition=models.Q(language__in=[*LANGUAGES]))
        ]

    def __str__(self) -> str:
        return self.title


class CollectionAddress(models.Model):
    """A slug that a collection has or had. It leads to this collection only, also after the collection is deleted.

    A trigger on collections writes the rows and refuses a slug that was another collection's. The id is a plain value,
    because the row outlives the collection.
    """

    slug = models.SlugField(max_length=80, unique=True)
    collection_id = models.BigIntegerField(db_index=True)

    def __str__(self) -> str:
        return self.slug


class CollectionRemoval(Job):
    """Deleting a collection with everything in it. Plain values, because the row outlives the collection."""

    collection_id = models.BigIntegerField()
    slug = models.SlugField(max_length=80)
    title = models.CharField(max_length=200)
    counts = models.JSONField(default=dict)  # {model: rows deleted}
    folders = models.JSONField(default=list)  # of the storage, deleted after the rows, also by another worker

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection_id"],
                condition=~models.Q(state__in=FINAL_STATES),
                name="collection_removal_one_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"deletion of {self.title}"


class PersonErasure(Job):
    """Replacing a person's name and address by a pseudonym everywhere. The row of the account stays, without access."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="erasures")
    keep_labels = models.BooleanField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person"], condition=~models.Q(state__in=FINAL_STATES), name="person_erasure_one_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"erasure of person {self.person_id}"


class Membership(models.Model):
    """A person's one role in a collection."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "user"], name="membership_one_role_each"),
            models.CheckConstraint(name="membership_role_known", condition=models.Q(role__in=Role.values)),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role}"


class InvitedRole(models.Model):
    """What an invitation is to: this role in this collection."""

    invitation = models.OneToOneField(Invitation, on_delete=models.CASCADE, related_name="invited_role")
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="invited_roles")
    role = models.CharField(max_length=12, choices=Role)

    objects = InCollection.as_manager()

    class Meta:
        constraints = [models.CheckConstraint(name="invited_role_known", condition=models.Q(role__in=Role.values))]

    def __str__(self) -> str:
        return f"{self.invitation_id} {self.role}"
