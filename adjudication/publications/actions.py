"""Asking for a publication of a frozen release."""

import json
from datetime import datetime

from django.db import transaction

from accounts import jobs
from accounts.audit import record_event
from accounts.models import FINAL_STATES, User
from accounts.refusals import Conflict, Refused
from accounts.sealing import sealed
from adjudication.labels.rules import check_none_sealed
from adjudication.models import Publication, Release
from adjudication.models.publications import Destination
from adjudication.publications.jobs import base_url, own_token
from adjudication.releases.jobs.describing import UNKNOWN
from adjudication.releases.reads.archive import check_has_files, text_of
from adjudication.releases.reads.recipe import released_campaigns
from adjudication.releases.rules import check_can_open
from annotation.labelling.rules.labels import check_can_read_labels_of
from corpus.collections.rules import check_manager
from engines.endpoints.hub import is_repository
from engines.endpoints.sending import is_token


@transaction.atomic
def request_publication(
    *,
    release: Release,
    destination: str,
    by: User | None,
    at: datetime,
    token: str = "",
    repository: str = "",
    anonymous: bool = False,
    public: bool = False,
    send: bool = True,
) -> Publication:
    """Ask for the release to be sent: private or as a draft unless `public`. `token` "" stands for the server's own.
    `send=False` leaves the work to the caller.

    Errors: NotAllowed without the role and for who still has to judge; Refused for a release that is not frozen, for a
    public one while people judge, without a token, for names the Hub does not take; Conflict while another runs.
    """
    collection = release.collection
    check_manager(collection, by)
    release = Release.objects.select_for_update(of=("self",)).select_related("collection").get(pk=release.pk)
    campaigns = list(released_campaigns(collection))
    check_none_sealed(campaigns)
    if by is not None:
        check_can_read_labels_of(campaigns, by)
    check_can_send(release, public=public)
    check_has_makers(release, destination, anonymous=anonymous)
    repository = check_repository(destination, repository.strip())
    check_names_nobody(release, repository, anonymous=anonymous)
    token = check_token(destination, token.strip())
    running = release.publications.exclude(state__in=FINAL_STATES).first()
    if running is not None:
        raise Conflict(f"The release is being sent to {running.where}. Wait for it or cancel it.")
    facts = {"destination": destination, "anonymous": anonymous, "public": public, "repository": repository}
    fields = {
        "release": release,
        **facts,
        "remote": _earlier_deposit(release, destination, anonymous=anonymous),
        "sealed_token": sealed(token),
    }
    publication = jobs.new_job(Publication, by=by, at=at, send=send, **fields)
    record_event(by=by, at=at, verb="publish_release", target=publication, scope=collection, name=release.name, **facts)
    return publication


def check_can_send(release: Release, *, public: bool) -> None:
    """Errors: Refused for a release that is not frozen, whose files are gone, or that may not be public yet."""
    if not release.is_frozen:
        raise Refused(f"Release {release.name} is not frozen yet.")
    check_has_files(release)
    if public:
        check_can_open(release)


def check_has_makers(release: Release, destination: str, *, anonymous: bool) -> None:
    """Errors: Refused where the service demands makers and nobody has stated them."""
    if destination != Destination.ZENODO:
        return
    described = json.loads(text_of(release, "datacite.json", anonymous=anonymous))
    if described["creators"] == [{"name": UNKNOWN}]:
        raise Refused(
            "Zenodo asks who made the data, and nobody has stated it. State the creators in its data statement"
            " and make a new release."
        )


def check_repository(destination: str, repository: str) -> str:
    """The name to use; Zenodo numbers its deposits itself. Errors: Refused."""
    if destination not in Destination.values:
        raise Refused(f"“{destination[:40]}” is no service. Choose one of {', '.join(Destination.values)}.")
    if destination == Destination.ZENODO:
        return ""
    if not is_repository(repository) or "--" in repository or ".." in repository:
        raise Refused(
            "Name the repository as name or owner/name, with letters, digits, hyphens, underscores and points, at most"
            " 96 characters each."
        )
    return repository


def check_names_nobody(release: Release, repository: str, *, anonymous: bool) -> None:
    """Errors: Refused where the name of an anonymous repository says which collection it is."""
    name = repository.rpartition("/")[2].lower()
    if anonymous and release.collection.slug.lower() in name:
        raise Refused(
            f"The name of the repository says which collection it is ({release.collection.slug}), and the anonymous"
            " variant must not. Choose another name."
        )


def check_token(destination: str, token: str) -> str:
    """The token as typed, "" where the server has one. Errors: Refused, without repeating it."""
    if not (token or own_token(destination)):
        raise Refused(f"Publishing needs a token of {Destination(destination).label} that may write.")
    if not is_token(token or own_token(destination)):
        raise Refused("This is no token: a token has 8 to 512 characters without blanks. Copy it again.")
    return token


def _earlier_deposit(release: Release, destination: str, *, anonymous: bool) -> str:
    """The deposit that an earlier publication of the same variant began or made, to go on with it."""
    if destination != Destination.ZENODO:
        return ""
    # The number is one of this service only: not of a sandbox, or of another site that the settings named before.
    here = release.publications.filter(address__startswith=f"{base_url(destination)}/").exclude(remote="")
    same = here.filter(destination=destination, anonymous=anonymous)
    return str(same.order_by("-pk").values_list("remote", flat=True).first() or "")
