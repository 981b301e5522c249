"""Collections and the people in them."""

from typing import TYPE_CHECKING, Any, Self

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models

from accounts.models import Invitation

if TYPE_CHECKING:
    from accounts.models import User


class Role(models.TextChoices):
    MANAGER = "manager", "manager"
    ADJUDICATOR = "adjudicator", "adjudicator"
    ANNOTATOR = "annotator", "annotator"
    VIEWER = "viewer", "viewer"


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

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    licence = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField()

    objects = CollectionQuerySet.as_manager()

    def __str__(self) -> str:
        return self.title


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
