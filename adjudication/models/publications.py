"""Publications: one attempt each to bring a frozen release to a repository of data, and what came of it."""

from django.db import models
from django.db.models import Q

from accounts.models import FINAL_STATES, Job, JobState
from adjudication.models.releases import Release


class Destination(models.TextChoices):
    """Where releases are published."""

    HUGGINGFACE = "huggingface", "Hugging Face Hub"
    ZENODO = "zenodo", "Zenodo"


class Publication(Job):
    """One variant of a release on its way to a service, or there.

    `remote` is the thing's id at the service ("owner/name", number of the deposit), stored as soon as it is known.
    `sealed_token` is encrypted (accounts/sealing.py) and emptied when the job ends; "" while it runs: the token of the
    server's environment.
    """

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="publications")
    destination = models.CharField(max_length=20, choices=Destination)
    anonymous = models.BooleanField(default=False)  # the variant without names
    public = models.BooleanField(default=False)  # False: a private repository, a deposit that stays a draft
    repository = models.CharField(max_length=200, blank=True)  # as asked for: "name" or "owner/name"; "" at Zenodo
    remote = models.CharField(max_length=200, blank=True)
    address = models.URLField(max_length=500, blank=True)
    doi = models.CharField(max_length=200, blank=True)  # reserved while a deposit is a draft
    files_sent = models.PositiveIntegerField(default=0)  # by the last attempt; the others were there already
    files_there = models.PositiveIntegerField(default=0)
    sealed_token = models.TextField(blank=True, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="publication_destination_known", condition=Q(destination__in=Destination.values)
            ),
            models.CheckConstraint(
                name="publication_no_token_once_ended", condition=~Q(state__in=FINAL_STATES) | Q(sealed_token="")
            ),
            models.CheckConstraint(
                name="publication_done_has_address",
                condition=~Q(state=JobState.DONE) | (~Q(address="") & ~Q(remote="")),
            ),
            models.UniqueConstraint(
                fields=["release"], condition=~Q(state__in=FINAL_STATES), name="publication_one_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"publication of {self.release} at {self.get_destination_display()}"

    @property
    def where(self) -> str:
        """Its destination in words."""
        return str(Destination(self.destination).label)
