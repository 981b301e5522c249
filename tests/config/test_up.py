"""manage.py up as people start it: a separate process, on its own data directory."""

import json
import os
import re
import signal
import socket
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from django.conf import settings
from django.core.management.base import CommandError

from config.addresses import address, address_elsewhere, last_address, machine_name, note_address
from config.embedded import KINDS
from config.management.commands.up import Command, allowed_hosts, child_environment, listen
from config.supervisor import MOST_STARTS_A_MINUTE, Child, GivenUp, Supervisor
from tests import processes
from tests.processes import PATIENCE, free_port, wait_for

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="lit-") as directory:
        yield Path(directory).resolve() / "data"


@pytest.fixture
def up(data_dir: Path, tmp_path: Path) -> Iterator[Callable[..., processes.Child]]:
    """Starts `manage.py up` with these arguments; kills what a failed test leaves."""
    started = []

    def start(*arguments: str, command: tuple[str, ...] = ("up", "--no-demo", "--workers", "1")) -> processes.Child:
        ours = ("LITMUS_", "DATABASE_URL", "REDIS_URL", "PYTEST_")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        # The collected static files of another run would do as well; here they are made for real.
        environment |= {"LITMUS_DATA_DIR": str(data_dir), "PYTHONUNBUFFERED": "1"}
        words = [sys.executable, "-m", "manage", *command, *arguments]
        started.append(processes.Child(words, tmp_path / f"up{len(started)}.log", environment))
        return started[-1]

    yield start
    for child in started:
        child.kill()
    wait_for(lambda: not family(data_dir), what="the end of all processes")


def family(data_dir: Path) -> list[psutil.Process]:
    """All living processes that were started for this data directory, known by their environment."""
    found = []
    for process in psutil.process_iter(["environ", "cmdline", "status"]):
        if process.info["status"] == psutil.STATUS_ZOMBIE:
            continue
        is_own = (process.info["environ"] or {}).get("LITMUS_DATA_DIR") == str(data_dir)
        if is_own or str(data_dir) in " ".join(process.info["cmdline"] or []):
            found.append(process)
    return found


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=10) as response:
            return response.status
    except urllib.error.HTTPError as error:
        with error:  # else the open answer is a warning in a later test
            return error.code


def get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=30) as response:
        return bytes(response.read())


def test_any_command_on_a_fresh_checkout_makes_its_tables(up, data_dir):
    """After `make setup` alone, with a data directory that nothing was ever done in."""
    first = up("nowhere", command=("collection_stats",))
    assert first.process.wait(280) == 1
    assert "Preparing the database …" in first.output
    assert "There is no collection nowhere" in first.output
    assert "Traceback" not in first.output
    again = up("nowhere", command=("collection_stats",))
    assert again.process.wait(60) == 1
    assert "Preparing" not in again.output
    assert family(data_dir) == []


def test_up_serves_repairs_itself_and_leaves_nothing_behind(up, data_dir):
    port = free_port()
    litmus = up("--port", str(port), "--json")
    litmus.wait_for_output("pid", 120)
    printed = json.loads(re.search(r"(?m)^\{.*\}$", litmus.output)[0])
    here = {"address": f"http://localhost:{port}", "data": str(data_dir), "demo": False, "pid": litmus.process.pid}
    assert printed.items() >= here.items()
    assert f"Litmus is running at http://localhost:{port}" in litmus.output
    assert re.search(r"no account yet.*\n\n  [A-Z2-9]{5}-[A-Z2-9]{5}\n", litmus.output, re.S)
    assert "To look around in an invented collection first: .venv/bin/python manage.py up --demo" in litmus.output
    assert b"Create the first account" in get(f"http://localhost:{port}/")
    where = up(command=("shell", "--no-imports", "-c", "from django.conf import settings; print(settings.SITE_URL)"))
    assert where.process.wait(60) == 0
    assert where.output == f"http://localhost:{port}\n"  # so links that a command prints or mails lead here
    assert is_ready(port)
    manifest = json.loads((data_dir / "static" / "staticfiles.json").read_text())["paths"]
    assert status(f"http://localhost:{port}/static/{manifest['js/base.js']}") == 200

    roots = psutil.Process(litmus.process.pid).children()
    web = next(process for process in roots if any("gunicorn" in word for word in process.cmdline()))
    web.kill()
    litmus.wait_for_output("The web server was killed by signal 9 unexpectedly and is started again.")
    wait_for(lambda: processes.answers(f"http://localhost:{port}/readyz"), what="the return of the web server")

    watchers = [process for process in family(data_dir) if "config.embedded" in process.cmdline()]
    servers = [kind(data_dir).running() for kind in KINDS.values()]
    assert (len(watchers), None in servers) == (1, False)
    for process in [*watchers, *servers]:
        process.kill()
    for process in servers:
        process.wait(60)
    wait_for(lambda: is_ready(port), what=f"both servers:\n{litmus.output}")
    for name in KINDS:
        litmus.wait_for_output(f"{name} had ended and is started again.")
    wait_for(lambda: status(f"http://localhost:{port}/accounts/first/") == 200, what="pages")
    with urllib.request.urlopen(f"http://localhost:{port}/accounts/first/", timeout=10) as answer:
        assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"  # which browser tests go without

    litmus.process.send_signal(signal.SIGINT)
    assert litmus.process.wait(60) == 0
    assert litmus.output.endswith("Stopped.\n")
    assert family(data_dir) == []


def is_ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://localhost:{port}/readyz", timeout=10) as response:
            return json.load(response) == {"database": "ok", "redis": "ok"}
    except urllib.error.HTTPError as error:
        error.close()
        return False


def test_pages_are_served_while_the_demo_is_loaded_and_up_killed_takes_its_processes_along(up, data_dir):
    port = free_port()
    litmus = up("--port", str(port), command=("up", "--demo", "--workers", "1"))
    litmus.wait_for_output("Ctrl-C", 120)
    assert "The demo is being loaded. Its accounts, all with the password" in litmus.output

    def says_loading() -> bool:
        with urllib.request.urlopen(f"http://localhost:{port}/accounts/login/", timeout=30) as response:
            return b"The demo is being loaded" in response.read()

    assert says_loading()
    wait_for(lambda: not says_loading(), 200, "the end of loading")
    assert "ended with status" not in litmus.output
    figures = up("demo", "--json", command=("collection_stats",))
    assert figures.process.wait(60) == 0
    assert '"documents": 40' in figures.output

    def pool_and_beat_run() -> bool:
        return len([process for process in family(data_dir) if "celery" in process.cmdline()]) >= 3

    wait_for(pool_and_beat_run, what="the worker with its pool and beat")
    litmus.process.kill()
    litmus.process.wait()
    wait_for(lambda: not family(data_dir), what="the end of all processes")


def test_a_taken_port_is_reported_before_anything_is_started(up, tmp_path, data_dir):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        litmus = up("--port", str(port))
        assert litmus.process.wait(60) == 1
    assert f"Port {port} is taken by another program. Choose another with --port" in litmus.output
    assert "Preparing" not in litmus.output
    assert family(data_dir) == []


@pytest.mark.parametrize(
    ("host", "port", "reason"),
    [
        ("127.0.0.1", 70_000, "from 1 to 65535"),
        ("192.0.2.1", 8000, "not an address of this machine"),
        ("no-such-host.invalid", 8000, "no address for --host"),
    ],
)
def test_an_address_that_cannot_be_listened_on(host, port, reason):
    with pytest.raises(CommandError, match=reason):
        listen(host, port)


def test_the_address_is_one_to_open_on_this_machine():
    assert address("0.0.0.0", 8000) == "http://localhost:8000"
    assert address("192.168.1.5", 80) == "http://192.168.1.5:80"
    assert address("::1", 8000) == "http://localhost:8000"
    assert address("fd00::7", 8000) == "http://[fd00::7]:8000"


def test_links_lead_where_people_are_and_other_commands_know_it(tmp_path, monkeypatch, settings):
    monkeypatch.delenv("LITMUS_SITE_URL", raising=False)
    settings.SITE_URL_IS_GIVEN = False
    assert child_environment("127.0.0.1", 9000, None)["LITMUS_SITE_URL"] == "http://localhost:9000"
    assert child_environment("0.0.0.0", 9000, None)["LITMUS_SITE_URL"] == f"http://{machine_name()}:9000"
    assert child_environment("192.168.1.5", 80, None)["LITMUS_SITE_URL"] == "http://192.168.1.5:80"
    assert machine_name() in allowed_hosts("0.0.0.0")
    greeting = Command().greeting("0.0.0.0", 9000)
    assert f"Links in mails and on pages lead to {address_elsewhere('0.0.0.0', 9000)}." in greeting
    assert "set LITMUS_SITE_URL" in greeting
    monkeypatch.setenv("LITMUS_SITE_URL", "https://label.example")
    assert child_environment("0.0.0.0", 9000, None)["LITMUS_SITE_URL"] == "https://label.example"
    assert last_address(tmp_path) == "http://localhost:8000"
    note_address(tmp_path, "http://localhost:9000")
    assert last_address(tmp_path) == "http://localhost:9000"


def test_names_of_this_machine_are_allowed_when_others_may_come(monkeypatch):
    monkeypatch.delenv("LITMUS_ALLOWED_HOSTS", raising=False)
    assert allowed_hosts("127.0.0.1") == settings.ALLOWED_HOSTS
    assert socket.gethostname() in allowed_hosts("0.0.0.0")
    assert "0.0.0.0" not in allowed_hosts("0.0.0.0")
    assert "192.168.1.5" in allowed_hosts("192.168.1.5")
    monkeypatch.setenv("LITMUS_ALLOWED_HOSTS", "label.example")
    assert child_environment("0.0.0.0", 8000, None)["LITMUS_ALLOWED_HOSTS"] == "label.example"


def test_a_process_that_always_ends_is_given_up(monkeypatch):
    messages: list[str] = []
    supervisor = Supervisor(messages.append)
    supervisor.start(Child("thing", ["platform"]))

    def look_until_given_up() -> None:
        while True:
            supervisor.children[0].process.wait(PATIENCE)
            supervisor.look()

    with pytest.raises(GivenUp, match=r"The thing ended with status 0, 5 times within a minute"):
        look_until_given_up()
    assert len(messages) == MOST_STARTS_A_MINUTE - 1
    supervisor.stop()


def test_a_process_that_has_done_its_work_is_not_started_again():
    messages: list[str] = []
    supervisor = Supervisor(messages.append)
    good, bad = Child("work", ["platform"], once=True), Child("loading", ["no_such_module"], once=True)
    for child in (good, bad):
        supervisor.start(child)

    def all_ended() -> bool:
        supervisor.look()
        return not supervisor.children

    wait_for(all_ended, what="the end of both")
    assert messages == ["The loading ended with status 1; the reason is above. Everything else keeps running."]
    assert len(good.starts) == len(bad.starts) == 1
