"""Uploads end at a limit while they arrive, before they fill the disk, and what killed processes left of them goes."""

import contextlib
import shutil
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler, TemporaryFileUploadHandler


class TemporaryFiles(TemporaryFileUploadHandler):
    """Files on the disk; when it is full, what has arrived of one is removed at once instead of some time later."""

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        try:
            super().receive_data_chunk(raw_data, start)
        except OSError:
            with contextlib.suppress(OSError):  # it cannot write the rest either
                self.file.close()
            raise


class UploadLimit(FileUploadHandler):
    """Refuses a request whose files together are larger than LITMUS_UPLOAD_LIMIT_MB; passes everything else on.

    A request that says its length is refused before its first byte is read.
    """

    received = 0  # bytes so far

    def handle_raw_input(self, *arguments: Any, **_: Any) -> None:
        content_length: int = arguments[2]
        # The form around the files may take some more.
        self.check(content_length - settings.DATA_UPLOAD_MAX_MEMORY_SIZE)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:  # noqa: ARG002 - Django's signature
        self.received += len(raw_data)
        self.check(self.received)
        return raw_data

    def file_complete(self, file_size: int) -> None:  # noqa: ARG002 - Django's signature
        return None

    def check(self, size: int) -> None:
        if size > settings.UPLOAD_LIMIT:
            raise RequestDataTooBig(
                f"The files are larger than {settings.UPLOAD_LIMIT // 1_000_000} MB. "
                "Split them into several uploads, or ask the operator to import them on the server."
            )


def remove_left_over() -> None:
    """Remove what killed processes left of uploads and releases on this machine, once no job can be writing it."""
    oldest = time.time() - settings.JOB_TIME_LIMIT - 24 * 3600
    for path in Path(settings.FILE_UPLOAD_TEMP_DIR).glob("*"):
        with contextlib.suppress(OSError):  # of another account, or just removed by another process
            if path.lstat().st_mtime < oldest:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
