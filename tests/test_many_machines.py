"""Two web servers and four workers without a common folder: one of each kind is killed in the middle of its work, and
nothing is lost, nothing is there twice, and files have the bytes that they have undisturbed."""

from pathlib import Path
from typing import Any

import pytest

from tests.killing import SHARD, kill_in_everything
from tests.machines import machines

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True), pytest.mark.timeout(600)]


def test_a_killed_process_of_each_kind_costs_nothing(
    in_bucket: str, real_queues: None, tmp_path: Path, settings: Any
) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = settings.MEDIA_ROOT / "arriving"
    settings.FILE_UPLOAD_TEMP_DIR.mkdir(parents=True)
    with machines(tmp_path, in_bucket, LITMUS_INDEX_SHARD=str(SHARD)) as place:
        kill_in_everything(place, [place.web(), place.web()], [place.worker() for _ in range(4)], "tea")
