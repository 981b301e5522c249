"""A dataset repository of the Hugging Face Hub over its HTTP API, as huggingface_hub uses it.

Large and binary files go to the storage by Git LFS's batch API, small texts inside commits. Files that the Hub
has with an equal hash are not sent again: the tree of the repository and the answer of the batch API say which.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha1
from typing import Any
from urllib.parse import quote

from engines.endpoints.sending import Sender, SendingFailed, Upload

NAME = r"[A-Za-z0-9]([A-Za-z0-9._-]{0,94}[A-Za-z0-9])?"
is_repository = re.compile(rf"({NAME}/)?{NAME}").fullmatch
MOST_IN_COMMIT = 50  # files
MOST_BYTES_IN_COMMIT = 20_000_000
MOST_PAGES = 1_000
LFS = {"Accept": "application/vnd.git-lfs+json", "Content-Type": "application/vnd.git-lfs+json"}
OWN = frozenset({".gitattributes"})  # what the Hub itself puts into a new repository


class Hub(Sender):
    """The Hub, asked with one person's token."""

    def owner(self) -> str:
        """The name of the account that the token belongs to."""
        name = self.part(self.ask("GET", "/api/whoami-v2").data, "name", str)
        if not is_repository(name) or "/" in name:
            raise self.bad_answer()
        return name

    def open_repository(self, repository: str, *, may_be_public: bool) -> bool:
        """Create a private repository, or take the one there; returns whether it is public.

        Errors: SendingFailed where it is and may not be.
        """
        owner, _, name = repository.partition("/")
        value = {"type": "dataset", "name": name, "organization": owner, "private": True}
        answer = self.ask("POST", "/api/repos/create", value=value, accepted=frozenset({409}))
        if answer.status == 409:
            found = self.ask("GET", f"/api/datasets/{quote(repository)}").data
            is_private = self.part(found, "private", bool)
            if not (is_private or may_be_public):
                raise SendingFailed(
                    f"The name is taken: {repository} exists at {self.service.name} and is public. Choose another name."
                )
            return not is_private
        self.part(answer.data, "url", str)
        return False

    def make_public(self, repository: str) -> None:
        """Show it to everybody, for which it should be whole."""
        self.ask("PUT", f"/api/datasets/{quote(repository)}/settings", value={"private": False})

    def missing(self, repository: str, uploads: Sequence[Upload]) -> list[Upload]:
        """The files that are not there with an equal hash.

        Errors: SendingFailed where the repository holds anything else: its name is taken.
        """
        digests = dict(self._tree(repository))
        by_path = {one.path: one for one in uploads}
        for path, digest in digests.items():
            if path not in OWN and (path not in by_path or digest not in _digests(by_path[path], digest)):
                raise SendingFailed(
                    f"The name is taken: {repository} exists at {self.service.name} and holds other files, such as"
                    f" {path[:80]!a}. Choose another name."
                )
        return [one for one in uploads if one.path not in digests]

    def send(self, repository: str, uploads: Sequence[Upload], message: str) -> None:
        """Send files and commit them, some at a time: a commit holds only files that have arrived."""
        for some in _portions(uploads):
            large = self._large_among(repository, some)
            self._send_large(repository, [one for one in some if one.path in large])
            self._commit(repository, some, large, message)

    # --- reading ------------------------------------------------------------------------------------------------------

    def _tree(self, repository: str) -> Iterator[tuple[str, str]]:
        """(path, digest) of each file there."""
        address = f"/api/datasets/{quote(repository)}/tree/main?recursive=true"
        for _ in range(MOST_PAGES):
            answer = self.ask("GET", address)
            if not isinstance(answer.data, list):
                raise self.bad_answer()
            yield from (_entry(one) for one in answer.data if isinstance(one, dict) and one.get("type") == "file")
            following = re.search(r'<([^>]+)>;\s*rel="?next', answer.headers.get("link", ""))
            if not following:
                return
            address = following[1]
            if not self.is_own(address):
                raise self.bad_answer()
        raise self.bad_answer()

    def _large_among(self, repository: str, uploads: Sequence[Upload]) -> set[str]:
        """The paths that the Hub wants in its storage instead of in a commit."""
        described = [
            {"path": one.path, "size": one.size, "sample": base64.b64encode(next(one.pieces(), b"")[:512]).decode()}
            for one in uploads
        ]
        found = self.ask("POST", f"/api/datasets/{quote(repository)}/preupload/main", value={"files": described}).data
        files = self.part(found, "files", list)
        modes = {one.get("path"): one.get("uploadMode") for one in files if isinstance(one, dict)}
        if any(modes.get(one.path) not in ("lfs", "regular") for one in uploads):
            raise self.bad_answer()
        return {one.path for one in uploads if modes[one.path] == "lfs" or one.size > MOST_BYTES_IN_COMMIT}

    # --- sending ------------------------------------------------------------------------------------------------------

    def _send_large(self, repository: str, uploads: Sequence[Upload]) -> None:
        if not uploads:
            return
        by_digest = {one.sha256: one for one in uploads}
        request = {
            "operation": "upload",
            "transfers": ["basic", "multipart"],
            "objects": [{"oid": one.sha256, "size": one.size} for one in by_digest.values()],
            "hash_algo": "sha256",
        }
        address = f"/datasets/{quote(repository)}.git/info/lfs/objects/batch"
        found = self.ask("POST", address, value=request, headers=LFS).data
        answered = {one.get("oid"): one for one in self.part(found, "objects", list) if isinstance(one, dict)}
        for digest, upload in by_digest.items():
            if digest not in answered:
                raise self.bad_answer()
            self._send_object(upload, answered[digest])

    def _send_object(self, upload: Upload, answered: Mapping[str, Any]) -> None:
        """Send one file to the storage; without actions it is there already."""
        if error := answered.get("error"):
            raise SendingFailed(f"{self.service.name} does not take {upload.path}: {self.message_in(error)}")
        actions = answered.get("actions") or {}
        if not actions:
            self.sent(upload.size)
            return
        action = self.part(actions, "upload", dict)
        address = self.part(action, "href", str)
        header = {str(key): str(each) for key, each in (action.get("header") or {}).items()}
        if "chunk_size" in header:
            self._send_parts(upload, address, header)
        else:
            self.ask("PUT", address, content=upload.pieces, headers=header | _length(upload.size))
        verify = actions.get("verify")
        if isinstance(verify, dict) and isinstance(verify.get("href"), str):
            self.ask("POST", verify["href"], value={"oid": upload.sha256, "size": upload.size})

    def _send_parts(self, upload: Upload, finish: str, header: Mapping[str, str]) -> None:
        """Send a very large file in parts, whose addresses are in the header under their numbers."""
        numbers = sorted((key for key in header if key.isdigit()), key=int)
        size = int(header["chunk_size"]) if header["chunk_size"].isdigit() else 0
        if size < 1 or len(numbers) != -(-upload.size // size):
            raise self.bad_answer()
        parts = []
        for place, number in enumerate(numbers):
            begin, end = place * size, min((place + 1) * size, upload.size)
            answer = self.ask(
                "PUT",
                header[number],
                content=lambda begin=begin, end=end: _between(upload.pieces(), begin, end),  # type: ignore[misc]
                headers=_length(end - begin),
            )
            parts.append({"partNumber": int(number), "etag": answer.headers.get("etag", "")})
        self.ask("POST", finish, value={"oid": upload.sha256, "parts": parts}, headers=LFS)

    def _commit(self, repository: str, uploads: Sequence[Upload], large: set[str], message: str) -> None:
        """Lines of JSON: their bytes are not those of files, which are counted once they are there."""
        lines = list(_commit_lines(uploads, large, message))
        answer = self.ask(
            "POST",
            f"/api/datasets/{quote(repository)}/commit/main",
            content=lambda: iter(lines),
            headers={"Content-Type": "application/x-ndjson"} | _length(sum(map(len, lines))),
            counted=False,
        )
        if not isinstance(answer.data, dict) or answer.data.get("success") is False:
            raise self.bad_answer()
        self.sent(sum(one.size for one in uploads if one.path not in large))


def _entry(one: Mapping[str, Any]) -> tuple[str, str]:
    """Path and digest of a file in a tree: SHA-256 of large files, Git's own hash of others."""
    lfs = one.get("lfs")
    return str(one.get("path")), str(lfs.get("oid") if isinstance(lfs, dict) else one.get("oid"))


def _digests(upload: Upload, there: str) -> tuple[str, ...]:
    """The hashes under which the Hub knows this file; Git's own only where it is asked for."""
    return (upload.sha256,) if len(there) == 64 else (_git_hash(upload),)


def _git_hash(upload: Upload) -> str:
    digest = sha1(f"blob {upload.size}\0".encode(), usedforsecurity=False)
    for piece in upload.pieces():
        digest.update(piece)
    return digest.hexdigest()


def _portions(uploads: Iterable[Upload]) -> Iterator[list[Upload]]:
    """Files for one commit each, bounded in number and, but for very large ones, in bytes."""
    found: list[Upload] = []
    held = 0
    for one in uploads:
        size = min(one.size, MOST_BYTES_IN_COMMIT)
        if found and (len(found) >= MOST_IN_COMMIT or held + size > MOST_BYTES_IN_COMMIT):
            yield found
            found, held = [], 0
        found.append(one)
        held += size
    if found:
        yield found


def _commit_lines(uploads: Iterable[Upload], large: set[str], message: str) -> Iterator[bytes]:
    values: list[dict[str, Any]] = [{"key": "header", "value": {"summary": message, "description": ""}}]
    for one in uploads:
        if one.path in large:
            value = {"path": one.path, "algo": "sha256", "oid": one.sha256, "size": one.size}
            values.append({"key": "lfsFile", "value": value})
        else:
            content = base64.b64encode(b"".join(one.pieces())).decode()
            values.append({"key": "file", "value": {"path": one.path, "encoding": "base64", "content": content}})
    return (json.dumps(value).encode() + b"\n" for value in values)


def _between(pieces: Iterable[bytes], begin: int, end: int) -> Iterator[bytes]:
    """The bytes of `pieces` from `begin` up to `end`."""
    place = 0
    for piece in pieces:
        if (part := piece[max(0, begin - place) : max(0, end - place)]) and place < end:
            yield part
        place += len(piece)
        if place >= end:
            return


def _length(count: int) -> dict[str, str]:
    return {"Content-Length": str(count)}
