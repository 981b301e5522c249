"""manage.py publish_release SLUG NAME huggingface|zenodo [--repository R] [--anonymous] [--public] [--json]"""

import getpass
import sys
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from adjudication.models import Publication, Release
from adjudication.models.publications import Destination
from adjudication.publications.actions import request_publication
from adjudication.publications.jobs import own_token
from corpus.collections.reads.collections import collection_with


class Command(ReportingCommand):
    help = (
        "Send a frozen release to the Hugging Face Hub or to Zenodo, private or as a draft. The token is read from"
        " LITMUS_HUGGINGFACE_TOKEN or LITMUS_ZENODO_TOKEN, else asked for: other people see arguments of commands."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("name", help="of the release, such as v1")
        parser.add_argument("destination", choices=Destination.values)
        parser.add_argument("--repository", default="", help="at the Hub: name or owner/name; else SLUG-NAME")
        parser.add_argument("--anonymous", action="store_true", help="the variant without names")
        parser.add_argument("--public", action="store_true", help="public once it is whole; at Zenodo for good")

    def carry_out(
        self, *, slug: str, name: str, destination: str, repository: str, anonymous: bool, public: bool, **_: Any
    ) -> tuple[str, dict[str, Any]]:
        release = _release(slug, name)
        publication = request_publication(
            release=release,
            destination=destination,
            by=None,
            at=timezone.now(),
            token="" if own_token(destination) else _typed(destination),
            repository=repository or ("" if anonymous else f"{slug}-{name}"),
            anonymous=anonymous,
            public=public,
            send=False,
        )
        jobs.complete(publication)
        return _summary(publication), {
            "address": publication.address,
            "doi": publication.doi or None,
            "public": publication.public,
            "files": publication.files_there,
            "files_sent": publication.files_sent,
            "bytes": publication.total,
        }


def _release(slug: str, name: str) -> Release:
    release = collection_with(slug).releases.frozen().select_related("collection").filter(name=name).first()
    if release is None:
        raise Refused(f"{slug} has no frozen release {name}. Make one: manage.py release {slug} {name}")
    return release


def _typed(destination: str) -> str:
    """The token from the terminal, without showing it."""
    if not sys.stdin.isatty():
        return ""
    return getpass.getpass(f"Token of {Destination(destination).label}: ")


def _summary(publication: Publication) -> str:
    visibility = "public" if publication.public else "private" if not publication.doi else "a draft"
    lines = [
        f"{publication.where}: {publication.address}, {visibility}. {publication.files_there:,} files,"
        f" {publication.files_sent:,} of them sent now."
    ]
    if publication.doi:
        lines.append(f"DOI {'' if publication.public else 'reserved '}{publication.doi}")
    return "\n".join(lines)
