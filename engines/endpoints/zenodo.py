"""A deposit at Zenodo over its deposit API (also that of other InvenioRDM sites that keep it).

Zenodo takes at most 100 files without folders, so a release goes there as one archive and what describes it. What is
there with an equal MD5, Zenodo's own checksum, is not sent again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5
from typing import Any
from urllib.parse import quote

from engines.endpoints.connections import object_in
from engines.endpoints.sending import Sender, SendingFailed, Upload

DEPOSITS = "/api/deposit/depositions"
NOT_OURS = frozenset({403, 404, 410})  # another account's draft answers with 403 or 404
LONGEST = 200  # characters of an id or DOI


@dataclass(frozen=True, slots=True)
class Deposit:
    """A deposit: id, page, reserved DOI, whether it is published, where files go, {name: MD5} of those there."""

    id: str
    page: str
    doi: str
    is_published: bool
    bucket: str
    files: Mapping[str, str]


class Zenodo(Sender):
    """Zenodo, asked with one person's token."""

    def find(self, deposit: str, mark: str) -> Deposit | None:
        """The deposit with this id, or the draft whose notes hold the mark; None where this account has none."""
        if deposit:
            answer = self.ask("GET", f"{DEPOSITS}/{quote(deposit, safe='')}", accepted=NOT_OURS)
            return None if answer.status in NOT_OURS else self._deposit(answer.data)
        drafts = self.ask("GET", f"{DEPOSITS}?status=draft&sort=mostrecent&size=100").data
        if not isinstance(drafts, list):
            raise self.bad_answer()
        for one in drafts:
            described = one.get("metadata") if isinstance(one, dict) else None
            if isinstance(described, dict) and mark in str(described.get("notes", "")):
                return self._deposit(one)
        return None

    def create(self, metadata: Mapping[str, Any], mark: str) -> Deposit:
        """A new draft with the mark in its notes; where the answer is lost, the draft that was made anyway."""
        try:
            return self._deposit(
                self.ask("POST", DEPOSITS, value={"metadata": {**metadata, "notes": mark}}, once=True).data
            )
        except SendingFailed:
            if made := self.find("", mark):
                return made
            raise

    def missing(self, deposit: Deposit, uploads: Sequence[Upload]) -> list[Upload]:
        """The files that are not there with an equal checksum."""
        return [one for one in uploads if one.path not in deposit.files or deposit.files[one.path] != md5_of(one)]

    def send(self, deposit: Deposit, upload: Upload) -> None:
        """Send one file, in place of one of the same name. Errors: SendingFailed where it arrived changed."""
        address = f"{deposit.bucket}/{quote(upload.path, safe='')}"
        headers = {"Content-Length": str(upload.size), "Content-Type": "application/octet-stream"}
        found = self.ask("PUT", address, content=upload.pieces, headers=headers).data
        if self.part(found, "checksum", str).removeprefix("md5:") != md5_of(upload):
            raise SendingFailed(
                f"{upload.path} arrived changed at {self.service.name}. Publish again to send it again."
            )

    def publish(self, deposit: Deposit) -> Deposit:
        """Make it public for good."""
        address = f"{DEPOSITS}/{quote(deposit.id, safe='')}/actions/publish"
        return self._deposit(self.ask("POST", address).data)

    def _deposit(self, data: Any) -> Deposit:
        found = object_in(data)
        links, described = object_in(found.get("links")), object_in(found.get("metadata"))
        bucket, page, number = self.part(links, "bucket", str), self.part(links, "html", str), found.get("id")
        if not isinstance(number, int | str):
            raise self.bad_answer()
        if not (self.is_own(bucket) and self.is_own(page)):
            raise SendingFailed(
                f"{self.service.name} wants the files at another address than its own, and the token was not sent"
                " there. The operator of this Litmus checks the address of the service (docs/configuration.md)."
            )
        reserved = object_in(described.get("prereserve_doi")).get("doi")
        doi = str(found.get("doi") or described.get("doi") or reserved or "")
        if (
            max(len(str(number)), len(doi)) > LONGEST
            or len(page) > 2 * LONGEST
            or not f"{number}{doi}{page}".isprintable()
        ):
            raise self.bad_answer()
        files = found.get("files")
        return Deposit(
            id=str(number),
            page=page,
            doi=doi,
            is_published=bool(found.get("submitted")),
            bucket=bucket.rstrip("/"),
            files={
                str(one.get("filename")): str(one.get("checksum")).removeprefix("md5:")
                for one in (files if isinstance(files, list) else ())
                if isinstance(one, dict)
            },
        )


def md5_of(upload: Upload) -> str:
    """The checksum that Zenodo keeps of each file."""
    digest = md5(usedforsecurity=False)
    for piece in upload.pieces():
        digest.update(piece)
    return digest.hexdigest()
