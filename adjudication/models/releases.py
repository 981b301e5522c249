"""Releases: frozen copies of a collection as folders of files, and what only people can say about it."""

import hashlib
import re
from typing import Self

from django.db import models
from django.db.models import Q

from accounts.models import FINAL_STATES, Job, JobState, person_key
from corpus.models import Collection
from corpus.models.collections import InCollection

NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$"
is_release_name = re.compile(NAME).fullmatch
SHA256 = r"^[0-9a-f]{64}$"
DOI = r"^10\.\d{4,9}(\.\d+)*/\S+$"
is_doi = re.compile(DOI).fullmatch
ADDRESS = r"^https?://[^\s<>\"]+$"
is_address = re.compile(ADDRESS).fullmatch
FAILED_STATES = (JobState.FAILED, JobState.CANCELLED)  # nothing was frozen


class ReleaseQuerySet(InCollection):
    """Releases of any state."""

    def frozen(self) -> Self:
        """Those that were written to the end."""
        return self.filter(state=JobState.DONE)


class Release(Job):
    """One version of a collection, written by a job; its files never change afterwards.

    The files are below `place` in the storage; `manifest_sha256` is the hash of `manifest.json`, which has the hash of
    every other file, so this row alone says whether a folder is the release. `requested_at` is the date of the release:
    a job that is resumed writes the same bytes. `last_ids` are the highest ids of the tables it stands on:
    {"corpus.topic": 12}.
    `doi` and `address` are no part of it: managers state them once a repository of data has it, and may correct them.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="releases")
    name = models.CharField(max_length=40)  # as in addresses and file names: v1, 2024.1
    version = models.PositiveIntegerField()  # 1, 2, … within the collection
    force_reason = models.TextField(blank=True)  # why it was frozen in spite of what the check list found
    findings = models.JSONField(default=list)  # the check list as it was: [{"code", "text", "blocking"}]
    pseudonym_key = models.CharField(max_length=64)  # of all releases of the collection, so that names stay the same
    last_ids = models.JSONField(default=dict)
    summary = models.JSONField(default=dict)  # {"files", "bytes", "documents", "topics", "lines", …}
    manifest_sha256 = models.CharField(max_length=64, blank=True)
    anonymous_sha256 = models.CharField(max_length=64, blank=True)  # of the manifest of the anonymous variant
    place = models.CharField(max_length=100, blank=True)  # of the attempt that froze it: no other writes there
    frozen_at = models.DateTimeField(null=True, blank=True)
    public_at = models.DateTimeField(null=True, blank=True)  # since then anybody may read it
    anonymous_token = models.CharField(max_length=64, blank=True)  # in the address that reviewers get; "": closed
    doi = models.CharField(max_length=200, blank=True)  # without https://doi.org/
    address = models.CharField(max_length=500, blank=True)  # a page elsewhere that has the data

    objects = ReleaseQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "name"], condition=~Q(state__in=FAILED_STATES), name="release_name"
            ),
            models.UniqueConstraint(
                fields=["collection", "version"], condition=~Q(state__in=FAILED_STATES), name="release_version"
            ),
            models.UniqueConstraint(
                fields=["collection"], condition=~Q(state__in=FINAL_STATES), name="release_one_at_a_time"
            ),
            models.UniqueConstraint(
                fields=["anonymous_token"], condition=~Q(anonymous_token=""), name="release_anonymous_token"
            ),
            models.CheckConstraint(name="release_name_plain", condition=Q(name__regex=NAME)),
            models.CheckConstraint(
                name="release_frozen_has_hashes",
                condition=Q(frozen_at__isnull=True, manifest_sha256="", anonymous_sha256="")
                | Q(frozen_at__isnull=False, manifest_sha256__regex=SHA256, anonymous_sha256__regex=SHA256),
            ),
            models.CheckConstraint(
                name="release_frozen_has_place", condition=Q(frozen_at__isnull=True, place="") | ~Q(place="")
            ),
            models.CheckConstraint(
                name="release_done_is_frozen", condition=~Q(state=JobState.DONE) | Q(frozen_at__isnull=False)
            ),
            models.CheckConstraint(
                name="release_open_is_frozen",
                condition=Q(frozen_at__isnull=False) | Q(public_at__isnull=True, anonymous_token=""),
            ),
            models.CheckConstraint(
                name="release_elsewhere_is_frozen", condition=Q(frozen_at__isnull=False) | Q(doi="", address="")
            ),
            models.CheckConstraint(name="release_doi_form", condition=Q(doi="") | Q(doi__regex=DOI)),
            models.CheckConstraint(name="release_address_form", condition=Q(address="") | Q(address__regex=ADDRESS)),
        ]

    def __str__(self) -> str:
        return f"release {self.name}"

    @property
    def is_frozen(self) -> bool:
        return self.state == JobState.DONE

    @property
    def public_id(self) -> str:
        """In both manifests, so that a changed copy is known for what it was. It tells nothing of the collection."""
        return hashlib.sha256(f"{self.pseudonym_key}:release {self.name}".encode()).hexdigest()[:16]

    def variant(self, *, anonymous: bool) -> str:
        """The folder of one variant in the storage."""
        return f"{self.place}/{'anonymous' if anonymous else 'named'}"


class DataStatement(models.Model):
    """What only people know about a collection, asked once and printed in each release: {question: answer}."""

    collection = models.OneToOneField(Collection, on_delete=models.CASCADE, related_name="data_statement")
    answers = models.JSONField(default=dict)
    updated_at = models.DateTimeField()
    updated_by = person_key("+")

    def __str__(self) -> str:
        return f"statement on {self.collection_id}"
