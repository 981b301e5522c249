"""Asking for a release, stating what only people know, opening it to others."""

import secrets
from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.urls import reverse

from accounts import jobs
from accounts.audit import record_event
from accounts.models import FINAL_STATES, Job, JobState, User
from accounts.refusals import Conflict, Refused
from adjudication.labels.rules import check_none_sealed
from adjudication.models import DataStatement, Release
from adjudication.models.releases import FAILED_STATES, is_address, is_doi, is_release_name
from adjudication.releases.checks import Check, check_list
from adjudication.releases.recipe import make_recipe
from adjudication.releases.rules import check_can_open
from adjudication.releases.statement import QUESTIONS, answers_of, problem_of
from annotation.labelling.rules import check_can_read_labels_of
from corpus.collections.rules import check_manager
from corpus.models import Collection, Event
from corpus.webhooks.events import announce, is_wanted
from engines.extras import lacking
from engines.formats.dois import bare_doi

RESERVED = {"new", "statement", "lines", "anonymous"}  # words in addresses
LONGEST = 10_000  # characters of an answer


@transaction.atomic
def request_release(
    *, collection: Collection, name: str, by: User | None, at: datetime, force: str = "", send: bool = True
) -> Release:
    """Ask for a release of this name. `force` is the reason to freeze it in spite of what the check list found; it is
    printed in the release. `send=False` leaves the work to the caller.

    Errors: NotAllowed without the role, for who still has to judge, and for sealed test sets; Refused with what the
    check list found, or where no parquet can be written; Conflict for a name that is taken and while another release is
    made.
    """
    check_manager(collection, by)
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    recipe = make_recipe(collection)
    if by is not None:
        check_can_read_labels_of(recipe.campaigns, by)
    check_none_sealed(recipe.campaigns)
    if words := lacking("pyarrow"):
        raise Refused(words)
    check_name(collection, name)
    check_is_complete(check_list(recipe), force)
    live = Release.objects.filter(collection=collection).exclude(state__in=FAILED_STATES)
    last = live.order_by("-version").first()
    if last is not None and last.state not in FINAL_STATES:
        raise Conflict(f"Release {last.name} is being made. Wait for it or cancel it.")
    fields = {
        "collection": collection,
        "name": name,
        "version": last.version + 1 if last else 1,
        "force_reason": " ".join(force.split()),
        "pseudonym_key": last.pseudonym_key if last else secrets.token_hex(16),
    }
    release = jobs.new_job(Release, by=by, at=at, send=send, **fields)
    record_event(by=by, at=at, verb="request_release", target=release, scope=collection, name=name, force=force)
    return release


def check_name(collection: Collection, name: str) -> None:
    """Refuse names that are not plain, reserved or taken."""
    if not is_release_name(name) or name in RESERVED:
        raise Refused(
            "A release is named by letters, digits, points, hyphens and underscores, at most 40 of them, such as v1 or"
            f" 2024.1. “{name[:40]}” is not such a name, or is reserved."
        )
    if Release.objects.filter(collection=collection, name=name).exclude(state__in=FAILED_STATES).exists():
        raise Conflict(f"{collection} has a release {name} already. A release never changes: choose another name.")


def check_is_complete(found: list[Check], force: str) -> None:
    """Refuse where something blocking was found and no reason is given to go on."""
    blocking = [one.text for one in found if one.blocking]
    if blocking and not force.strip():
        shown = "\n".join(f"- {text}" for text in blocking)
        raise Refused(
            f"The collection is not ready for release:\n{shown}\nCorrect it, or give a reason to release it"
            " anyway; the reason is printed in the release."
        )


@transaction.atomic
def state_facts(*, collection: Collection, answers: Mapping[str, str], by: User | None, at: datetime) -> DataStatement:
    """Keep what people know about the collection. Errors: NotAllowed, Refused for texts that are too long."""
    check_manager(collection, by)
    known = {question.key: question.label for question in QUESTIONS}
    stored = answers_of(collection)
    for key, text in answers.items():
        if key not in known:
            raise Refused(f"There is no question “{key[:40]}”.")
        if len(text) > LONGEST:
            raise Refused(f"{known[key]}: at most {LONGEST:,} characters; these are {len(text):,}.")
        stored[key] = text.replace("\r\n", "\n").strip()
        if problem := problem_of(key, stored[key]):
            raise Refused(f"{known[key]}: {problem}")
    changed = {"answers": {key: text for key, text in stored.items() if text}, "updated_at": at, "updated_by": by}
    statement, _ = DataStatement.objects.update_or_create(collection=collection, defaults=changed)
    record_event(by=by, at=at, verb="state_facts", target=statement, scope=collection, questions=sorted(answers))
    return statement


@transaction.atomic
def open_release(*, release: Release, by: User | None, at: datetime) -> Release:
    """Show the release to everybody: a page with its description, citation and files."""
    found = _locked(release, by)
    check_can_open(found)
    found.public_at = found.public_at or at
    found.save(update_fields=["public_at"])
    record_event(by=by, at=at, verb="open_release", target=found, scope=found.collection, name=found.name)
    return found


@transaction.atomic
def close_release(*, release: Release, by: User | None, at: datetime) -> Release:
    """Take the public page away; copies that others took stay with them."""
    found = _locked(release, by)
    found.public_at = None
    found.save(update_fields=["public_at"])
    record_event(by=by, at=at, verb="close_release", target=found, scope=found.collection, name=found.name)
    return found


@transaction.atomic
def open_for_reviewers(*, release: Release, by: User | None, at: datetime, is_open: bool) -> Release:
    """Make an address for reviewers, which shows the anonymous variant; or take it away for good."""
    found = _locked(release, by)
    if is_open:
        check_can_open(found)
    found.anonymous_token = (found.anonymous_token or secrets.token_urlsafe(24)) if is_open else ""
    found.save(update_fields=["anonymous_token"])
    verb = "open_release_to_reviewers" if is_open else "close_release_to_reviewers"
    record_event(by=by, at=at, verb=verb, target=found, scope=found.collection, name=found.name)
    return found


@transaction.atomic
def state_release_address(
    *, release: Release, by: User | None, at: datetime, doi: str | None = None, address: str | None = None
) -> Release:
    """Say where a repository of data has the release: its DOI, a page. None leaves one as it is, "" takes it away.

    Errors: NotAllowed without the role; Refused for a release that is not frozen, and for what is no DOI or address.
    """
    found = _locked(release, by)
    stated = {
        "doi": found.doi if doi is None else checked_doi(doi),
        "address": found.address if address is None else checked_address(address),
    }
    if stated != {"doi": found.doi, "address": found.address}:
        found.doi, found.address = stated["doi"], stated["address"]
        found.save(update_fields=["doi", "address"])
        facts = {"name": found.name, **stated}
        record_event(by=by, at=at, verb="state_release_address", target=found, scope=found.collection, **facts)
    return found


def checked_doi(text: str) -> str:
    """The DOI as it is stored, also of an address at doi.org. Errors: Refused."""
    found = bare_doi(text)
    if found and not (is_doi(found) and found.isprintable()):
        raise Refused(f"“{found[:60]}” is not a DOI. Type it as 10.5281/zenodo.1234567, or as its address at doi.org.")
    return found


def checked_address(text: str) -> str:
    """The address as it is stored. Errors: Refused."""
    found = text.strip()
    if found and not (is_address(found) and found.isprintable()):
        raise Refused("Give an address that begins with https:// or http://, without spaces.")
    return found


def announce_frozen(job: Job) -> None:
    """A release that was written to the end is reported to webhooks; from now on REST has it."""
    if not (isinstance(job, Release) and job.state == JobState.DONE and job.frozen_at):
        return
    if is_wanted(Event.RELEASE_FROZEN, job.collection_id):  # an address loads all pages
        where = [job.collection.slug, job.name]
        links = {"page": reverse("release_detail", args=where), "api": reverse("api_release", args=where)}
        facts = {"release": job.name, "manifest_sha256": job.manifest_sha256}
        announce(Event.RELEASE_FROZEN, job.collection, at=job.frozen_at, links=links, **facts)


def _locked(release: Release, by: User | None) -> Release:
    check_manager(release.collection, by)
    found = Release.objects.select_for_update(of=("self",)).select_related("collection").get(pk=release.pk)
    if found.state != JobState.DONE:
        raise Refused(f"Release {found.name} is not frozen.")
    return found
