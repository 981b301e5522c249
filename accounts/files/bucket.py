"""Files in a bucket of Amazon S3 or of any server that speaks its protocol."""

import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files.base import File
from storages.backends.s3 import S3Storage

from accounts.files.copies import copy_of
from accounts.files.storage import Files, FilesAway

IN_MEMORY = 1 << 20  # bytes of a file that is read whole; larger ones go through the disk
# No checksums that S3 computes since 2025 and other servers do not know: Litmus compares SHA-256 itself.
CLIENT = {
    "connect_timeout": 5,
    "read_timeout": 60,
    "retries": {"mode": "standard", "total_max_attempts": 4},
    "s3": {"addressing_style": "path"},
    "request_checksum_calculation": "when_required",
    "response_checksum_validation": "when_required",
}
TRANSFER = TransferConfig(multipart_chunksize=8 << 20, max_concurrency=4)  # at most some 40 MB of a file in memory
MISSING = {"404", "NoSuchKey", "NotFound"}


class BucketStorage(S3Storage, Files):
    """Files below `location` of a bucket. A file exists once it is whole; an upload that broke off is not a file."""

    def __init__(self, **options: Any) -> None:
        fixed = {"client_config": Config(**CLIENT), "transfer_config": TRANSFER, "file_overwrite": True}
        super().__init__(**fixed, **options)

    def _save(self, name: str, content: Any) -> str:
        with self._explained(name):
            return str(super()._save(name, content))

    def _open(self, name: str, mode: str = "rb") -> "File[bytes]":
        if mode != "rb":
            raise ValueError("Files of a bucket are read, or saved whole.")
        spool = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - the caller closes it
        try:
            for piece in self.pieces(name):
                spool.write(piece)
        except BaseException:  # raised again
            spool.close()
            raise
        spool.seek(0)
        return File(spool, name)

    def exists(self, name: str) -> bool:
        with self._explained(name):
            return bool(super().exists(name))

    def size(self, name: str) -> int:
        with self._explained(name):
            return int(super().size(name))

    def delete(self, name: str) -> None:
        with self._explained(name):
            super().delete(name)

    def stream(self, name: str) -> IO[bytes]:
        with self._explained(name):
            found = self.bucket.meta.client.get_object(Bucket=self.bucket_name, Key=self._normalize_name(name))
        body: IO[bytes] = found["Body"]
        return body

    def pieces(self, name: str) -> Iterator[bytes]:
        with self._explained(name):
            yield from super().pieces(name)

    def local(self, name: str, sha256: str) -> AbstractContextManager[Path]:
        return copy_of(sha256, partial(self.pieces, name)) if sha256 else self._once(name)

    def take_folder(self, folder: Path, name: str) -> None:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                with path.open("rb") as file:
                    self.save(f"{name}/{path.relative_to(folder).as_posix()}", File(file))

    def remove_folder(self, name: str) -> None:
        with self._explained(name):
            answers = self.bucket.objects.filter(Prefix=f"{self._normalize_name(name)}/").delete()
        for error in (error for answer in answers for error in answer.get("Errors", ())):
            raise FilesAway(self._why(error.get("Code", "")))

    def sizes(self, below: str = "") -> Iterator[tuple[str, int]]:
        root = f"{self.location}/" if self.location else ""
        with self._explained(below):
            for each in self.bucket.objects.filter(Prefix=f"{root}{below}/" if below else root):
                if not each.key.endswith("/"):  # a marker by which consoles show a folder without files
                    yield each.key.removeprefix(root), each.size

    def address(self, name: str = "") -> str:
        return f"s3://{self.bucket_name}/{self._normalize_name(name) if name else self.location}".rstrip("/")

    def check(self) -> None:
        with self._explained(""):
            self.bucket.meta.client.list_objects_v2(Bucket=self.bucket_name, Prefix=self.location, MaxKeys=1)

    @contextmanager
    def _once(self, name: str) -> Iterator[Path]:
        with tempfile.NamedTemporaryFile() as copy:
            for piece in self.pieces(name):
                copy.write(piece)
            copy.flush()
            yield Path(copy.name)

    @contextmanager
    def _explained(self, name: str) -> Iterator[None]:
        """Errors: FileNotFoundError, FilesAway instead of those of the library, which may hold addresses and keys."""
        try:
            yield
        except ClientError as error:
            code = str(error.response.get("Error", {}).get("Code", ""))
            if code in MISSING and name:
                raise FileNotFoundError(f"{self.address(name)} does not exist") from None
            raise FilesAway(self._why(code)) from error
        except BotoCoreError as error:
            words = f"The server of the bucket {self.bucket_name} cannot be used: {type(error).__name__}."
            raise FilesAway(words) from error

    def _why(self, code: str) -> str:
        if code in ("NoSuchBucket", *MISSING):
            return f"There is no bucket {self.bucket_name}. Create it, or correct LITMUS_BUCKET_URL."
        if code in ("InvalidAccessKeyId", "SignatureDoesNotMatch"):
            return f"The bucket {self.bucket_name} does not know the key of LITMUS_BUCKET_URL, or its secret is wrong."
        if code in ("AccessDenied", "403"):
            return f"The key of LITMUS_BUCKET_URL may not do this in the bucket {self.bucket_name}."
        return f"The server of the bucket {self.bucket_name} refused: {code or 'without a reason'}."
