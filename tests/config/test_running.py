"""How `down`, `status` and `open` find the `up` of a data directory; tests/litmus_ir/test_wheel.py stops a real one."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from config.running import noted, running


@pytest.fixture
def data_dir(tmp_path: Path, settings) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


def test_an_up_is_found_while_it_lives_and_what_a_killed_one_left_is_not(data_dir: Path):
    with noted(data_dir, "http://localhost:1"):
        killed = data_dir / "locks" / "up.1"
        killed.write_text("1\nhttp://localhost:2\n2026-11-27 10:00 UTC\n")
        assert [(up.address, up.answers) for up in running(data_dir)] == [("http://localhost:1", False)]
        assert not killed.exists()
        said = io.StringIO()
        call_command("status", stdout=said)
        assert "Litmus is starting at http://localhost:1" in said.getvalue()
    assert running(data_dir) == []


def test_without_one_status_and_down_say_so_and_nothing_is_opened(data_dir: Path):
    shown, said = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("status", "--json", stdout=shown, stderr=said)
    assert ended.value.code == 3
    assert json.loads(shown.getvalue())["running"] == []
    assert "Litmus is not running. Start it: manage.py up" in said.getvalue()
    call_command("down", "--json", stdout=shown, stderr=said)
    assert f"Litmus is not running on {data_dir}." in said.getvalue()
    with pytest.raises(CommandError, match="Litmus is not running"):
        call_command("open")
