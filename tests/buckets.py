"""An S3 server of another project (moto), in a process of its own, for tests of files in a bucket."""

import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages

from tests.processes import Child, child_environment, free_port

KEY = "AKIATEST:verysecretword"


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """host:port of the server."""
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    child = Child(command, tmp_path_factory.mktemp("s3") / "log", child_environment())
    child.wait_for_output("Running on")
    yield f"127.0.0.1:{port}"
    child.kill()


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


@pytest.fixture
def bucket_url(s3_server: str) -> str:
    """The address, for LITMUS_BUCKET_URL, of a folder in a new bucket."""
    name = f"litmus-{uuid.uuid4().hex}"
    client(s3_server).create_bucket(Bucket=name)
    return f"http://{KEY}@{s3_server}/{name}/of/tests?region=us-east-1"


@pytest.fixture
def in_bucket(settings: Any, bucket_url: str, tmp_path: Path) -> str:
    """Files are in that bucket, as with the setting."""
    from config.env import bucket_parameters

    options = bucket_parameters(bucket_url)
    settings.BUCKET, settings.INDEX_DIR = options, tmp_path / "indexes"
    settings.MEDIA_ROOT = tmp_path / "no media"
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {"BACKEND": "accounts.files.bucket.BucketStorage", "OPTIONS": options},
    }
    assert storages["default"].__class__.__name__ == "BucketStorage"
    return bucket_url
