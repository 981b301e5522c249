import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile

from config.uploads import remove_left_over

CHECKOUT = Path(__file__).resolve().parents[2]


def upload(rf, *sizes: int):
    files = {f"file{i}": SimpleUploadedFile(f"{i}.txt", b"x" * size) for i, size in enumerate(sizes)}
    return rf.post("/anywhere/", {"note": "with a form around", **files})


def test_files_within_the_limit_pass(rf, settings):
    settings.UPLOAD_LIMIT = 1000
    request = upload(rf, 600, 400)
    assert [file.size for file in request.FILES.values()] == [600, 400]
    assert request.POST["note"] == "with a form around"


def test_files_that_are_too_large_together_are_refused_with_what_to_do(rf, settings):
    settings.UPLOAD_LIMIT = 1_000_000
    with pytest.raises(RequestDataTooBig, match=r"larger than 1 MB.*ask the operator"):
        upload(rf, 600_000, 500_000).FILES  # noqa: B018 - reading them is the test


def test_a_length_that_is_too_large_is_refused_before_reading(rf, settings):
    settings.UPLOAD_LIMIT = 1000
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    request = upload(rf, 5000)
    with pytest.raises(RequestDataTooBig):
        request.FILES  # noqa: B018
    assert request._stream.read(10) == b"--BoUnDaRy"  # the first byte is still there


def test_large_files_arrive_on_the_disk_of_the_media(rf, settings):
    request = upload(rf, settings.FILE_UPLOAD_MAX_MEMORY_SIZE + 1)
    file = request.FILES["file0"]
    assert isinstance(file, TemporaryUploadedFile)
    assert Path(file.temporary_file_path()).parent == settings.FILE_UPLOAD_TEMP_DIR
    file.close()


@pytest.mark.slow
@pytest.mark.parametrize("said", ["", "elsewhere"])
def test_spooled_copies_lie_there_too_unless_the_operator_says_where(tmp_path: Path, said: str) -> None:
    """In Compose /tmp is memory. What reads files for us puts its copies where we do."""
    (tmp_path / "elsewhere").mkdir()
    script = (
        "import django, tempfile; django.setup(); print(tempfile.gettempdir())\n"
        "from engines.guarded.reading import read_guarded\n"
        "print(*read_guarded(tempfile._candidate_tempdir_list))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
    environment |= {"LITMUS_DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"}
    environment |= {"TMPDIR": str(tmp_path / said)} if said else {}
    command = [sys.executable, "-W", "ignore", "-c", script]
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=True)
    ours, first, *_ = done.stdout.split()
    assert ours == first == str(tmp_path / said if said else tmp_path / "media" / "arriving")


def test_what_killed_processes_left_goes_once_no_job_can_be_writing_it(settings, tmp_path):
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    old = time.time() - settings.JOB_TIME_LIMIT - 25 * 3600
    for name in ("release-1.1", "release-2.1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "LICENSE").write_text("CC")
    for name in ("half.upload", "arriving.upload"):
        (tmp_path / name).write_text("half")
    for name in ("release-1.1", "half.upload"):
        os.utime(tmp_path / name, (old, old))
    remove_left_over()
    assert {path.name for path in tmp_path.iterdir()} == {"release-2.1", "arriving.upload"}
