"""manage.py up: all of Litmus on one machine, until Ctrl-C."""

import errno
import io
import os
import signal
import socket
import time
import urllib.request
from argparse import ArgumentParser
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError

from config import embedded
from config.apps import close_pools
from config.outside import check_database, check_redis
from config.staticfiles import collect_if_changed
from config.supervisor import Child, GivenUp, Supervisor

LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - compared with, not listened on
PATIENCE = 4  # seconds
RESTORE_PAUSE = 10  # seconds between tries to start an embedded server that does not start
WORKER = "celery -q -A config.celery worker --beat --without-gossip --without-mingle --without-heartbeat"


class Command(BaseCommand):
    restore_again_at = 0.0
    help = "Start Litmus: embedded servers, web, background jobs. Stop it with Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="port of the web server (default: 8000)")
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
        parser.add_argument("--workers", type=int, help="number of web processes (default: LITMUS_WEB_PROCESSES)")
        parser.add_argument("--no-demo", action="store_true", help="do not load the demo collection")

    def handle(self, *, port: int, host: str, workers: int | None, no_demo: bool, **_: Any) -> None:
        with listen(host, port) as listener:
            stop_on_signals()
            try:
                check_database()
                check_redis()
                with embedded.running(settings.DATA_DIR, settings.EMBEDDED_SERVERS):
                    notes = self.prepare(demo=not no_demo, public=host not in LOOPBACK)
                    self.serve(listener, host, workers, notes)
            except KeyboardInterrupt:
                self.stdout.write("Stopped.")

    def prepare(self, *, demo: bool, public: bool) -> str:
        """Bring database and static files up to date; what is to be said to the person once all runs."""
        self.stdout.write(f"Preparing Litmus in {settings.DATA_DIR} …")
        self.stdout.flush()
        call_command("migrate", interactive=False, verbosity=0)
        call_command("clearsessions", verbosity=0)
        collect_if_changed()
        notes = io.StringIO()
        if demo and "load_demo" in get_commands():
            call_command("load_demo", stdout=notes)
            if public:
                notes.write("Everybody knows this password: use --no-demo where others reach this machine.\n")
        if not get_user_model().objects.exists():
            notes.write(
                "There is no account yet. Make the first one:\n"
                "  .venv/bin/python manage.py create_user you@example.org --staff\n"
            )
        close_pools()  # from here on the children alone use the database
        return notes.getvalue().strip()

    def serve(self, listener: socket.socket, host: str, workers: int | None, notes: str) -> None:
        """Run web and worker until a signal comes."""
        port = listener.getsockname()[1]
        environment = child_environment(host, port, workers)
        web = f"gunicorn -c config/gunicorn.py -b fd://{listener.fileno()}"
        children = [
            Child("web server", web.split(), environment, keep_open=(listener.fileno(),)),
            # A warm stop would wait for running jobs, for hours perhaps; this one puts them back after some seconds.
            Child("background worker", WORKER.split(), environment | {"REMAP_SIGTERM": "SIGQUIT"}),
        ]
        supervisor = Supervisor(children, self.stderr.write)
        try:
            supervisor.start()
            wait_for_web(supervisor, host, port)
            self.stdout.write("\n".join(filter(None, [self.greeting(host, port), notes, "Stop it with Ctrl-C."])))
            self.stdout.flush()
            while True:
                supervisor.look()
                self.restore_servers()
                time.sleep(0.3)
        except GivenUp as error:
            raise CommandError(str(error)) from None
        finally:
            for which in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP):
                signal.signal(which, signal.SIG_IGN)
            supervisor.stop()

    def restore_servers(self) -> None:
        """Bring PostgreSQL and Redis back when they and their keepers were killed."""
        if time.monotonic() < self.restore_again_at:
            return
        try:
            for name in embedded.restore(settings.DATA_DIR, settings.EMBEDDED_SERVERS):
                self.stderr.write(f"The keeper of {name} had ended and is started again.")
        except embedded.EmbeddedError as error:  # a full disk, perhaps: pages say so, and the next look tries again
            self.stderr.write(str(error))
            self.restore_again_at = time.monotonic() + RESTORE_PAUSE

    def greeting(self, host: str, port: int) -> str:
        lines = [f"Litmus is running at {address(host, port)}"]
        if host not in LOOPBACK:
            names = ", ".join(allowed_hosts(host))
            lines.append(f"It answers to these names only: {names}. Others: set LITMUS_ALLOWED_HOSTS.")
        return "\n".join(lines)


def listen(host: str, port: int) -> socket.socket:
    """The web server's socket. It is opened first, so that a taken port is noticed before anything is started.

    Errors: CommandError with what to do.
    """
    hint = f"Choose another with --port, such as --port {port + 1} (make run PORT={port + 1})."
    if not 0 <= port <= 65535:
        raise CommandError(f"--port {port}: use a number from 1 to 65535, or 0 for any free port.")
    try:
        family, *_, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return open_socket(family, where[:2])
    except socket.gaierror:
        raise CommandError(f"There is no address for --host {host}.") from None
    except OSError as error:
        reasons: dict[int | None, str] = {
            errno.EADDRINUSE: f"Port {port} is taken by another program. {hint}",
            errno.EACCES: f"Port {port} is reserved for root. {hint}",
            errno.EADDRNOTAVAIL: f"--host {host} is not an address of this machine.",
        }
        raise CommandError(
            reasons.get(error.errno, f"Port {port} of {host} cannot be used ({error}). {hint}")
        ) from None


def open_socket(family: socket.AddressFamily, where: tuple[Any, ...]) -> socket.socket:
    """A listening socket; a taken port gets some seconds, which the web server of a killed `up` needs to end."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_server(where, family=family, backlog=2048)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                raise
        time.sleep(0.1)


def stop_on_signals() -> None:
    """Let every polite request to end raise KeyboardInterrupt; nohup's wish to survive the terminal is respected."""
    for which in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        signal.signal(which, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.default_int_handler)


def address(host: str, port: int) -> str:
    """An address to open in a browser on this machine."""
    name = "localhost" if host in LOOPBACK + EVERYWHERE else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}"


def allowed_hosts(host: str) -> list[str]:
    """Names by which the web server is asked: those of the settings, and of this machine when others may come."""
    if os.environ.get("LITMUS_ALLOWED_HOSTS") or host in LOOPBACK:
        return list(settings.ALLOWED_HOSTS)
    own = {socket.gethostname(), socket.getfqdn()} | ({host} - set(EVERYWHERE))
    return [*settings.ALLOWED_HOSTS, *sorted(own - set(settings.ALLOWED_HOSTS))]


def child_environment(host: str, port: int, workers: int | None) -> dict[str, str]:
    """Environment variables that tell the children what the command line said; those already set stay."""
    defaults = {
        "LITMUS_SITE_URL": address(host, port),
        "LITMUS_ALLOWED_HOSTS": ",".join(allowed_hosts(host)),
        "LITMUS_LOG_LEVEL": "WARNING",
    }
    environment = {name: os.environ.get(name) or value for name, value in defaults.items()}
    return environment | ({"LITMUS_WEB_PROCESSES": str(workers)} if workers else {})


def wait_for_web(supervisor: Supervisor, host: str, port: int) -> None:
    """Return when the web server answers. Errors: GivenUp when it ends again and again."""
    probe = address(host, port) + "/healthz"
    while True:
        with suppress(OSError), urllib.request.urlopen(probe, timeout=5):  # noqa: S310 - our own address
            return
        supervisor.look()
        time.sleep(0.1)
