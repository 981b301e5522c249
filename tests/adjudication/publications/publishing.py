"""What tests of publications share."""

from typing import Any

from django.utils import timezone

from accounts import jobs
from adjudication.models import Publication, Release
from adjudication.publications.actions import request_publication
from tests.stubs.repositories import TOKEN, HubStub


def publish(release: Release, destination: str = "huggingface", token: str = TOKEN, **more: Any) -> Publication:
    """A publication, made by the job as a worker makes it."""
    options = {"repository": "words-v1" if destination == "huggingface" else "", **more}
    asked = request_publication(
        release=release, destination=destination, by=None, at=timezone.now(), token=token, send=False, **options
    )
    assert token == "" or TOKEN not in asked.sealed_token
    jobs.carry_out(asked)
    asked.refresh_from_db()
    return asked


def files_of(release: Release, *, anonymous: bool = False) -> dict[str, bytes]:
    folder = release.variant(anonymous=anonymous)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def sent_to(hub: HubStub, name: str = "ada/words-v1") -> dict[str, bytes]:
    return {path: content for path, content in hub.repositories[name].files.items() if path != ".gitattributes"}
