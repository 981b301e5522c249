"""What people agree to before they judge in a collection, and what they say about their background."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_noop

from accounts.models import person_key
from corpus.models import Collection

MOST_YEARS = 80


class AfterWithdrawal(models.TextChoices):
    KEEP = "keep", "their labels are kept, under a pseudonym"
    LEAVE_OUT = "leave-out", "their labels are left out from then on"


class Stage(models.TextChoices):
    """How far somebody is in their field."""

    STUDENT = "student", gettext_noop("student")
    DOCTORAL = "doctoral", gettext_noop("doctoral student")
    RESEARCHER = "researcher", gettext_noop("researcher with a doctorate")
    PROFESSOR = "professor", gettext_noop("professor or group leader")
    PRACTITIONER = "practitioner", gettext_noop("works outside of research")
    OTHER = "other", gettext_noop("something else")


class ConsentText(models.Model):
    """A version of what a collection asks its annotators to agree to. Versions are never changed, only followed.

    An empty `body` ends it: nothing is asked for any longer.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="consent_texts")
    version = models.PositiveIntegerField()
    body = models.TextField(blank=True)
    after_withdrawal = models.CharField(max_length=9, choices=AfterWithdrawal, default=AfterWithdrawal.KEEP)
    asks_background = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    created_by = person_key("consent_texts")

    class Meta:
        ordering = ["-version"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "version"], name="consent_text_version_unique"),
            models.CheckConstraint(
                name="consent_after_withdrawal_known", condition=Q(after_withdrawal__in=AfterWithdrawal.values)
            ),
        ]

    def __str__(self) -> str:
        return f"version {self.version}"


class Consent(models.Model):
    """Somebody agreed to a version. Who withdrew may agree again: that is another row."""

    text = models.ForeignKey(ConsentText, on_delete=models.CASCADE, related_name="consents")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="consents")
    agreed_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["text", "user"], name="consent_stands_once", condition=Q(withdrawn_at__isnull=True)
            ),
            models.CheckConstraint(
                name="consent_withdrawn_after_it_was_given",
                condition=Q(withdrawn_at__isnull=True) | Q(withdrawn_at__gte=models.F("agreed_at")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} agreed to {self.text_id}"


class Background(models.Model):
    """What somebody says about themselves in a collection, all of it optional. It leaves Litmus in groups alone."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="backgrounds")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="backgrounds")
    field = models.CharField(max_length=80, blank=True)
    stage = models.CharField(max_length=12, choices=Stage, blank=True)
    years = models.PositiveSmallIntegerField(null=True, blank=True)  # of experience in the field
    language = models.CharField(max_length=40, blank=True)  # the first one

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "user"], name="background_once"),
            models.CheckConstraint(name="background_stage_known", condition=Q(stage__in=["", *Stage.values])),
            models.CheckConstraint(
                name="background_years_within", condition=Q(years__isnull=True) | Q(years__lte=MOST_YEARS)
            ),
        ]

    def __str__(self) -> str:
        return f"background of {self.user_id}"
