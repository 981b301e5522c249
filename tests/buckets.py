"""An S3 server of another project (moto), in a process of its own, for tests of files in a bucket."""

import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.storage import storages

from tests.processes import Child, child_environment, free_port

KEY = "AKIATEST:verysecretword"


@contextmanager
def serving(folder: Path, host: str = "127.0.0.1") -> Iterator[str]:
    """host:port of a new server."""
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", host, "-p", str(port)]
    child = Child(command, folder / "s3.log", child_environment())
    try:
        child.wait_for_output("Running on")
        yield f"{host}:{port}"
    finally:
        child.kill()


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """host:port of the server."""
    with serving(tmp_path_factory.mktemp("s3")) as server:
        yield server


def client(server: str) -> Any:
    """boto3's own, to look from outside."""
    import boto3  # a third of a second, for these tests alone

    key, secret = KEY.split(":")
    return boto3.client(
        "s3",
        endpoint_url=f"http://{server}",
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        region_name="us-east-1",
    )


def new_bucket(server: str) -> str:
    """The address, for LITMUS_BUCKET_URL, of a folder in a new bucket."""
    name = f"litmus-{uuid.uuid4().hex}"
    client(server).create_bucket(Bucket=name)
    return f"http://{KEY}@{server}/{name}/of/tests?region=us-east-1"


def bucket_settings(url: str, folder: Path) -> dict[str, Any]:
    """What the setting makes of the settings; copies lie below `folder`."""
    from config.env import bucket_parameters

    options = bucket_parameters(url)
    backend = {"BACKEND": "accounts.files.bucket.BucketStorage", "OPTIONS": options}
    return {
        "BUCKET": options,
        "INDEX_DIR": folder / "indexes",
        "MEDIA_ROOT": folder / "no media",
        "STORAGES": {**settings.STORAGES, "default": backend},
    }


@pytest.fixture
def bucket_url(s3_server: str) -> str:
    return new_bucket(s3_server)


@pytest.fixture
def in_bucket(settings: Any, bucket_url: str, tmp_path: Path) -> str:
    """Files are in that bucket, as with the setting."""
    for name, value in bucket_settings(bucket_url, tmp_path).items():
        setattr(settings, name, value)
    assert storages["default"].__class__.__name__ == "BucketStorage"
    return bucket_url
