"""How much one collection may hold, where the operator has set limits: documents, and the files imported into it."""

from dataclasses import dataclass
from math import ceil
from typing import Self

from django.conf import settings
from django.db.models import Q, Sum

from accounts.models import FINAL_STATES, JobState
from accounts.refusals import Refused
from corpus.models import Collection

MEGABYTE = 1_000_000  # as LITMUS_UPLOAD_LIMIT_MB counts
WHO = "Only the operator of this Litmus can change the limit ({})."
# Files whose records are in the collection or are being imported, and files that dry runs still hold. Not files that
# brought nothing new: a program may send all records each night.
BROUGHT = Q(state=JobState.DONE) & (Q(created__gt=0) | Q(updated__gt=0))
COUNTED = Q(dry_run=False, undone_at=None) & (BROUGHT | ~Q(state__in=FINAL_STATES)) | Q(
    dry_run=True, files__0__path__isnull=False
)


@dataclass(frozen=True)
class DocumentRoom:
    """How many documents a collection has, and may have; 0: any number."""

    held: int
    most: int

    @classmethod
    def of(cls, collection: Collection) -> Self:
        """As it is now. An import asks within its transaction, when no other one is storing."""
        most = settings.COLLECTION_DOCUMENTS
        return cls(collection.documents.count() if most else 0, most)

    def check(self, new: int) -> None:
        """Refuse this number of new documents if there is no room for them."""
        if self.most and new and self.held + new > self.most:
            raise Refused(
                f"The collection has {self.held:,} documents and may have {self.most:,}. The files hold more than"
                f" {max(0, self.most - self.held):,} new ones. Nothing was imported."
                f" {WHO.format('LITMUS_COLLECTION_DOCUMENTS')}"
            )


def check_files_fit(collection: Collection, size: int) -> None:
    """Refuse files of this size if the collection has no room for them. Otherwise the caller then stores their import.

    The collection is locked until the end of the transaction: two requests at the same time see each other's files.
    """
    if not (most := settings.COLLECTION_BYTES):
        return
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    held = bytes_held(collection)
    if held + size > most:
        raise Refused(
            f"The files of the collection's imports take {_megabytes(held)} and may take {_megabytes(most)}."
            f" These files take {_megabytes(size)}. Nothing was imported. Undo imports that are not needed."
            f" {WHO.format('LITMUS_COLLECTION_MB')}"
        )


def bytes_held(collection: Collection) -> int:
    """Bytes of its imports' files, as they were sent: not of those that failed, brought nothing, or were undone."""
    return collection.import_runs.filter(COUNTED).aggregate(held=Sum("total", default=0))["held"]


def limits_of(collection: Collection) -> list[str]:
    """The limits that are set, and how much of each is used, as sentences for the pages of imports."""
    room, most = DocumentRoom.of(collection), settings.COLLECTION_BYTES
    said = [f"{room.held:,} of at most {room.most:,} documents are in the collection."] if room.most else []
    if most:
        said.append(
            f"The files of its imports take {_megabytes(bytes_held(collection))} of at most {_megabytes(most)}."
        )
    return said + (["Only the operator of this Litmus can change this."] if said else [])


def _megabytes(size: int) -> str:
    """Rounded up, so that what is refused also looks like too much."""
    return f"{ceil(size * 10 / MEGABYTE) / 10:,.1f} MB"
