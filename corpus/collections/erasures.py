"""Erasing a person: their name and address become a pseudonym in every text, list and JSON value of every table."""

from collections.abc import Callable
from datetime import datetime

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import connection, models, transaction
from django.utils import timezone

from accounts import jobs
from accounts.audit import record_event
from accounts.extensions import extensions
from accounts.models import AuditEvent, Digest, ErasureRequest, Invitation, User
from corpus.collections.collections import is_erased, pseudonym_of
from corpus.collections.contents import APPS
from corpus.models import AuthorAnswer, AuthorInvitation, CollectionAddress, PersonErasure

TEXTS = (models.CharField, models.TextField, models.JSONField, ArrayField)
Columns = list[tuple[str, str]]  # name and type
Erasure = Callable[[User, str, str, bool, datetime], None]  # person, former name, pseudonym, keep labels, when


def erase_person(job: PersonErasure, progress: jobs.Progress) -> None:
    """All of it or nothing, in one transaction."""
    with transaction.atomic():
        person = User.objects.select_for_update(no_key=True).get(pk=job.person_id)
        if not is_erased(person):  # else the worker was killed between its commit and its last word
            _erase(job, person, progress)


def _erase(run: PersonErasure, person: User, progress: jobs.Progress) -> None:
    now, email, name = timezone.now(), person.email, person.name
    pseudonym, address = pseudonym_of(person)
    erasures: dict[str, Erasure] = extensions("erasures")
    tables = list(_tables())
    steps = len(erasures) + len(tables) + 1
    for number, (_, erasure) in enumerate(sorted(erasures.items())):
        progress.report(number, steps, "renaming what they judged")
        erasure(person, name, pseudonym, run.keep_labels, now)
    _rename_outside_collections(person, email, address, pseudonym)
    person.email, person.name, person.preferences = address, pseudonym, {}
    person.save()
    for number, (model, columns) in enumerate(tables, start=len(erasures)):
        progress.report(number, steps, f"looking through {model._meta.verbose_name_plural}")
        progress.check()
        _replace(model, columns, email, address)
    ErasureRequest.objects.filter(user=person).delete()
    Digest.objects.filter(user=person).delete()
    labels = "kept" if run.keep_labels else "excluded"
    record_event(by=run.requested_by, at=now, verb="erase_person", target=person, labels=labels)
    progress.report(steps, steps, "done")


def _rename_outside_collections(person: User, email: str, address: str, pseudonym: str) -> None:
    """In invitations, in what they wrote as an author, and in the audit log."""
    invitations = AuthorInvitation.objects.filter(email__iexact=email)
    AuthorAnswer.objects.filter(invitation__in=invitations).exclude(credit_name="").update(credit_name=pseudonym)
    invitations.update(name=pseudonym)
    Invitation.objects.filter(email__iexact=email).update(email=address)
    AuditEvent.objects.filter(target_type="accounts.user", target_id=str(person.pk)).update(target=pseudonym)


def _tables() -> list[tuple[type[models.Model], Columns]]:
    """The tables whose texts may hold an address, with those columns and their types."""
    found = []
    for model in apps.get_models():
        if model._meta.app_label not in APPS or model is CollectionAddress or getattr(model, "is_append_only", False):
            continue
        fields = [f for f in model._meta.local_concrete_fields if isinstance(f, TEXTS) and not f.choices]
        if fields:
            found.append((model, [(str(field.column), str(field.db_type(connection))) for field in fields]))
    return found


def _replace(model: type[models.Model], columns: Columns, email: str, address: str) -> None:
    """An address is unlike any other text, so it is replaced wherever it stands; one read of the table."""
    changes = ", ".join(f'"{c}" = replace("{c}"::text, %(email)s, %(address)s)::{kind}' for c, kind in columns)
    holds = " OR ".join(f'position(%(email)s in "{c}"::text) > 0' for c, _ in columns)
    with connection.cursor() as cursor:
        cursor.execute(
            f'UPDATE "{model._meta.db_table}" SET {changes} WHERE {holds}', {"email": email, "address": address}
        )
