"""`litmus service`: units that systemd itself accepts, and how much they leave open by its own count."""

import io
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from config import units
from config.units import Service, quoted

NEEDS_SYSTEMD = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
MOST_EXPOSED = 30  # of 100, by `systemd-analyze security`


def make(folder: Path, account: str) -> Service:
    return Service(folder / "data of mine", "127.0.0.1", 8000, account, folder / "backups")


def analyze(*words: str | Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"XDG_RUNTIME_DIR": "/tmp"}  # which units of users need
    return subprocess.run(["systemd-analyze", *words], env=environment, capture_output=True, text=True, check=False)


@NEEDS_SYSTEMD
@pytest.mark.parametrize("account", ["litmus", ""])
def test_systemd_accepts_the_units(tmp_path: Path, account: str) -> None:
    paths = []
    for path, text in make(tmp_path, account).units().items():
        paths.append(tmp_path / path.name)
        paths[-1].write_text(text)
    assert [path.name for path in paths] == ["litmus.service", "litmus-backup.service", "litmus-backup.timer"]
    done = analyze("verify", *([] if account else ["--user"]), *paths)
    assert (done.returncode, [line for line in done.stderr.splitlines() if str(tmp_path) in line]) == (0, [])
    paths[0].write_text(paths[0].read_text().replace("Type=exec", "Type=no such"))
    assert "no such" in analyze("verify", paths[0]).stderr  # it does look


@NEEDS_SYSTEMD
def test_a_service_of_the_system_is_confined(tmp_path: Path) -> None:
    for path, text in make(tmp_path, "litmus").units().items():
        (tmp_path / path.name).write_text(text)
        if path.suffix == ".service":
            done = analyze("security", "--offline=true", f"--threshold={MOST_EXPOSED}", tmp_path / path.name)
            assert done.returncode == 0, done.stdout[-300:]


def test_sockets_in_tmp_stay_where_commands_look_for_them() -> None:
    assert "PrivateTmp=yes" in Service(Path("/srv/litmus"), "127.0.0.1", 1, "litmus").service()
    text = Service(Path("/srv/data of mine"), "127.0.0.1", 1, "litmus").service()
    assert "PrivateTmp" not in text
    assert 'ReadWritePaths="/srv/data of mine" /tmp' in text


def test_words_are_quoted_as_systemd_reads_them() -> None:
    assert quoted("/srv/100% of it") == '"/srv/100%% of it"'
    assert quoted('/a"b\\c$d') == '"/a\\"b\\\\c$$d"'


@pytest.fixture
def call(tmp_path: Path, settings, monkeypatch: pytest.MonkeyPatch):
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    (settings.DATA_DIR / "secret-key").write_text("secret")
    monkeypatch.setattr(units, "SYSTEM", tmp_path / "system")
    monkeypatch.setattr(units, "USER", tmp_path / "user")

    def run(*words: str) -> tuple[str, str]:
        printed, said = io.StringIO(), io.StringIO()
        call_command("service", *words, stdout=printed, stderr=said)
        return printed.getvalue(), said.getvalue()

    return run


def test_a_unit_is_printed_or_written(call, tmp_path: Path) -> None:
    printed, said = call("--user")
    assert printed.startswith(f"# {tmp_path}/user/litmus.service\n[Unit]")
    assert f"ExecStart={sys.executable}" in printed
    assert "User=" not in printed
    assert "Nothing was written" in said
    assert not (tmp_path / "user").exists()
    _, said = call("--user", "--write", "--backups", str(tmp_path / "backups"))
    assert "systemctl --user enable --now litmus.service litmus-backup.timer" in said
    assert sorted(path.name for path in (tmp_path / "user").iterdir()) == [
        "litmus-backup.service", "litmus-backup.timer", "litmus.service",
    ]  # fmt: skip
    assert (tmp_path / "backups").is_dir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
def test_root_gives_the_data_to_the_account_of_the_service(call, tmp_path: Path) -> None:
    call("--account", "nobody", "--write")
    nobody = pwd.getpwnam("nobody").pw_uid
    assert {(tmp_path / "data").stat().st_uid, (tmp_path / "data" / "secret-key").stat().st_uid} == {nobody}
    assert "User=nobody" in (tmp_path / "system" / "litmus.service").read_text()
    with pytest.raises(CommandError, match=f"belongs to user id {nobody}, and the service would run as daemon"):
        call("--account", "daemon", "--write")
    with pytest.raises(CommandError, match=r"There is no account nobody-else here\. Make it: useradd"):
        call("--account", "nobody-else", "--write")
