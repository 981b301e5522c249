"""People, what they were invited to, their tokens, what they did, and the base of every background job."""

from datetime import datetime
from typing import Any, ClassVar, Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone


def person_key(related_name: str) -> "models.ForeignKey[Any, Any]":
    """A key to a person: null for the command line, a machine, or nobody yet. People with such rows stay."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name=related_name
    )


class UserManager(BaseUserManager["User"]):
    """Creates users by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    """A person. `is_staff` may create collections; nobody sees a collection without a membership, staff included."""

    email = models.EmailField("e-mail address", unique=True)
    name = models.CharField(max_length=150, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    date_joined = models.DateTimeField(default=timezone.now)
    preferences = models.JSONField(default=dict, blank=True)  # key map, theme, highlights: the person's own screen only

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects = UserManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("email"), name="user_email_unique_whatever_case"),
        ]

    def __str__(self) -> str:
        return self.name or self.email

    def get_full_name(self) -> str:
        return str(self)

    def get_short_name(self) -> str:
        return self.name.split(" ")[0] if self.name else self.email.split("@")[0]


class TokenScope(models.TextChoices):
    """What a token may be used for; each includes the ones before it. Never more than its person may do."""

    READ = "read", "read"
    JUDGE = "judge", "read and judge"
    MANAGE = "manage", "everything you may do"

    def includes(self, other: "TokenScope") -> bool:
        order = list(TokenScope)
        return order.index(self) >= order.index(other)


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def in_use(self, at: datetime) -> Self:
        """Tokens that are valid at that time."""
        return self.filter(revoked_at__isnull=True, expires_at__gt=at)


class ApiToken(models.Model):
    """A key for programs acting as one person. Only a digest is stored; the key itself is shown once."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    label = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=10, choices=TokenScope)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="api_token_expires_after_creation", condition=models.Q(expires_at__gt=models.F("created_at"))
            ),
            models.CheckConstraint(name="api_token_scope_known", condition=models.Q(scope__in=TokenScope.values)),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def is_expired(self) -> bool:
        return self.expires_at <= timezone.now()


class ErasureRequest(models.Model):
    """A person asks staff to erase their name and address. It goes with the erasure, or when they withdraw it."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="erasure_request")
    keep_labels = models.BooleanField()  # under the pseudonym; False: excluded
    requested_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"erasure of {self.user}"


class Digest(models.Model):
    """A person's daily mail (accounts/digests.py): the last day it was claimed for, and what it has reported."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="digest")
    day = models.DateField()
    covered_until = models.DateTimeField()  # what happened later is for the next

    def __str__(self) -> str:
        return f"digest of {self.user}"


class FirstCode(models.Model):
    """The code with which the first account of an empty Litmus is made; one at most, and only its digest is stored."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    digest = models.CharField(max_length=64)
    expires_at = models.DateTimeField()
    tries_left = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [models.CheckConstraint(name="first_code_is_one", condition=models.Q(id=1))]

    def __str__(self) -> str:
        return "code for the first account"


class Invitation(models.Model):
    """An e-mail address asked to join; the app that created it says to what (corpus.InvitedRole)."""

    email = models.EmailField()
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="sent_invitations")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = person_key("accepted_invitations")
    revoked_at = models.DateTimeField(null=True, blank=True)
    language = models.CharField(max_length=10, blank=True)  # of its mail and page; "" where nobody has chosen

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="invitation_accepted_at_and_by_paired",
                condition=models.Q(accepted_at__isnull=True, accepted_by__isnull=True)
                | models.Q(accepted_at__isnull=False, accepted_by__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.email


class AuditEvent(models.Model):
    """Who did what to what, when. Plain values instead of foreign keys, so that it outlives what it is about."""

    at = models.DateTimeField()
    actor_id = models.BigIntegerField(null=True, blank=True)  # null: the system itself
    actor = models.CharField(max_length=254)
    verb = models.CharField(max_length=60)
    scope_id = models.BigIntegerField(null=True, blank=True)  # id of the collection, null for accounts
    scope = models.CharField(max_length=80, blank=True)  # slug of the collection at that time: slugs change
    target_type = models.CharField(max_length=60)
    target_id = models.CharField(max_length=60)
    target = models.CharField(max_length=200)
    data = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["scope_id", "-id"], name="audit_scope_newest")]

    def __str__(self) -> str:
        return f"{self.actor} {self.verb} {self.target}"


class JobState(models.TextChoices):
    QUEUED = "queued", "waiting"
    RUNNING = "running", "running"
    DONE = "done", "done"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"


FINAL_STATES = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


class Job(models.Model):
    """Background work that a person asked for; its life is in accounts/jobs.py: claimed once, resumed, cancelled."""

    state = models.CharField(max_length=10, choices=JobState, default=JobState.QUEUED)
    requested_by = person_key("%(class)ss")  # null: the command line
    requested_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    done = models.BigIntegerField(default=0)  # of `total`, in the job's own unit
    total = models.BigIntegerField(default=0)  # 0: not known yet
    step = models.CharField(max_length=200, blank=True)  # what it is doing now, for the progress bar
    reason = models.TextField(blank=True)  # why it failed or was cancelled
    parameters = models.JSONField(default=dict, blank=True)
    seed = models.BigIntegerField(null=True, blank=True)
    code_version = models.CharField(max_length=64, blank=True)

    class Meta:
        abstract = True

    @property
    def is_final(self) -> bool:
        return self.state in FINAL_STATES

    @property
    def percent(self) -> int | None:
        """Whole percent done, or None while the total is unknown."""
        return min(100, self.done * 100 // self.total) if self.total else None


class JobClaim(models.Model):
    """Which worker has a job, and when it last said so (accounts/claims.py). Jobs are many tables: no foreign key."""

    kind = models.CharField(max_length=80)  # the job's model, such as corpus.importrun
    job = models.BigIntegerField()
    holder = models.UUIDField()
    renewed_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "job"], name="job_claimed_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.job}"
