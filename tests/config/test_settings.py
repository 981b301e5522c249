"""Settings: secure without being asked, loud on bad values, documented to the last variable."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.exceptions import ImproperlyConfigured
from threadpoolctl import threadpool_info

from accounts.sql import execute
from config.embedded.postgres import SETTINGS as EMBEDDED
from config.env import BadEnvironment
from config.variables import SECTIONS, as_markdown
from litmus_ir.command import FOLDER
from litmus_ir.place import version
from tests.processes import CHECKOUT

SECRET = "x" * 50
# Where the embedded PostgreSQL listens and what it is called; clocks are set by Django on each connection.
OF_ITS_PLACE = ("listen_addresses", "port", "unix_socket_permissions", "cluster_name", "timezone", "log_timezone")
OUTSIDE = {
    "DATABASE_URL": "postgres://litmus:pass@db:5432/litmus",
    "REDIS_URL": "redis://cache:6379/0",
    "LITMUS_SECRET_KEY": SECRET,
}


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Runs settings.py in an environment of just these variables."""

    def run(**environment: str) -> dict[str, Any]:
        for name in list(os.environ):
            if name.startswith("LITMUS_") or name in ("DATABASE_URL", "REDIS_URL"):
                monkeypatch.delenv(name)
        for name, value in {"LITMUS_DATA_DIR": str(tmp_path), **environment}.items():
            monkeypatch.setenv(name, value)
        return runpy.run_path(str(CHECKOUT / "config" / "settings.py"))

    return run


def test_every_variable_has_a_meaning_and_every_meaning_a_variable(load):
    names = [each.name for variables in SECTIONS.values() for each in variables]
    assert sorted(names) == sorted(load()["env"].asked)


def test_the_page_of_settings_is_current(load):
    page = (CHECKOUT / "docs" / "configuration.md").read_text("utf-8")
    assert page == as_markdown(load()["env"]), "run python docs/list_settings.py"


def test_defaults_in_words_are_what_the_code_does(load, tmp_path, monkeypatch):
    """Each sentence of a default next to what it claims, so that none stays behind when the code changes."""
    found, site = load(), load(LITMUS_SITE_URL="https://label.example")
    asked = {name: each.default.strip("`") for name, each in found["env"].asked.items()}
    pooled = load(LITMUS_TRANSACTION_POOLER="1")["env"].asked["LITMUS_PREPARED_STATEMENTS"].default
    monkeypatch.setattr("config.env.usable_cores", lambda: 1)
    one = load()["env"].asked
    monkeypatch.setattr("config.env.usable_cores", lambda: 64)
    many = load()["env"].asked
    cache = load(REDIS_URL="redis://cache:6379/3")["CACHES"]["volatile"]["LOCATION"]
    up = (CHECKOUT / "config" / "management" / "commands" / "up.py").read_text("utf-8")

    def cores(name: str) -> tuple[str, str]:
        return one[name].default, many[name].default

    claims = {
        ("LITMUS_DATA_DIR", "`.data` in a checkout; else `litmus-data` in the folder where `litmus` is called"): (
            (asked["LITMUS_DATA_DIR"], FOLDER) == (str(CHECKOUT / ".data"), "litmus-data")
        ),
        ("LITMUS_MEDIA_ROOT", "`media` in the data directory"): asked["LITMUS_MEDIA_ROOT"] == str(tmp_path / "media"),
        ("LITMUS_STATIC_ROOT", "`static` in the data directory"): (
            asked["LITMUS_STATIC_ROOT"] == str(tmp_path / "static")
        ),
        ("LITMUS_BUCKET_URL", "files are in `LITMUS_MEDIA_ROOT`"): "FolderStorage"
        in found["STORAGES"]["default"]["BACKEND"],
        ("LITMUS_INDEX_DIR", "`indexes` in the data directory"): asked["LITMUS_INDEX_DIR"] == str(tmp_path / "indexes"),
        ("DATABASE_URL", "embedded PostgreSQL"): "postgres" in found["EMBEDDED_SERVERS"],
        ("REDIS_URL", "embedded Redis"): "redis" in found["EMBEDDED_SERVERS"],
        ("LITMUS_CACHE_URL", "the next database of `REDIS_URL`"): cache == "redis://cache:6379/4",
        ("LITMUS_SITE_URL", "the address at which `up` serves, or served last"): (
            asked["LITMUS_SITE_URL"] == "none"  # tests/config/test_up.py serves
        ),
        ("LITMUS_ALLOWED_HOSTS", "`localhost,127.0.0.1,[::1]`, that of `LITMUS_SITE_URL`"): (
            site["ALLOWED_HOSTS"] == ["localhost", "127.0.0.1", "[::1]", "label.example"]
        ),
        ("LITMUS_TRUSTED_ORIGINS", "`LITMUS_SITE_URL`"): site["CSRF_TRUSTED_ORIGINS"] == ["https://label.example"],
        ("LITMUS_HTTPS", "on if `LITMUS_SITE_URL` is `https://`"): (
            (site["SECURE_SSL_REDIRECT"], found["SECURE_SSL_REDIRECT"]) == (True, False)
        ),
        ("LITMUS_EMAIL_URL", "none: nothing is sent, pages show the links to copy"): (
            found["EMAIL_BACKEND"] == "accounts.mail.NoServerBackend"
        ),
        ("LITMUS_SECRET_KEY", "made once, kept in the data directory (0600)"): (
            (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600
        ),
        ("LITMUS_CROSSREF_URL", "none: Crossref is not asked"): found["CROSSREF_URL"] == "",
        ("LITMUS_OPENALEX_URL", "none: OpenAlex is not asked"): found["OPENALEX_URL"] == "",
        ("LITMUS_LLM_PRICE_IN", "not known"): found["LLM_PRICE_IN"] is None,
        ("LITMUS_LLM_PRICE_OUT", "not known"): found["LLM_PRICE_OUT"] is None,
        ("LITMUS_WEB_PROCESSES", "number of usable cores, at most 4"): cores("LITMUS_WEB_PROCESSES") == ("`1`", "`4`"),
        ("LITMUS_WORKER_PROCESSES", "number of usable cores, at most 2"): (
            cores("LITMUS_WORKER_PROCESSES") == ("`1`", "`2`")
        ),
        ("LITMUS_PREPARED_STATEMENTS", "on; off with `LITMUS_TRANSACTION_POOLER`"): (
            (asked["LITMUS_PREPARED_STATEMENTS"], pooled) == ("on", "`off`")
        ),
        ("LITMUS_LOG_LEVEL", "`INFO` (`WARNING` under `up`)"): (
            asked["LITMUS_LOG_LEVEL"] == "INFO" and '"LITMUS_LOG_LEVEL": "WARNING"' in up
        ),
        ("LITMUS_VERSION", "the version of the code"): asked["LITMUS_VERSION"] == version(),
    }
    in_words = {(each.name, each.default) for some in SECTIONS.values() for each in some if each.default}
    assert in_words == set(claims), "a default in words has its claim above"
    assert not [claim for claim, holds in claims.items() if not holds]


def test_the_page_of_settings_says_nothing_of_the_machine_where_it_was_made(load, monkeypatch, tmp_path):
    page = as_markdown(load()["env"])
    monkeypatch.setattr("config.env.usable_cores", lambda: 1)
    elsewhere = {"LITMUS_DATA_DIR": str(tmp_path / "data"), "LITMUS_TRANSACTION_POOLER": "1"}
    assert page == as_markdown(load(**OUTSIDE, **elsewhere, LITMUS_SITE_URL="https://label.example/litmus")["env"])


def test_no_variable_is_read_elsewhere():
    """Only settings.py and the processes that hand variables on to it may name one."""
    allowed = {"config/settings.py", "config/env.py", "config/leash.py", "config/supervisor.py", "manage.py"}
    allowed |= {"config/management/commands/up.py", "config/gunicorn.py", "config/wsgi.py"}
    sources = [path for app in ("accounts", "adjudication", "annotation", "config", "corpus") for path in
               (CHECKOUT / app).rglob("*.py")]  # fmt: skip
    readers = {
        str(path.relative_to(CHECKOUT)) for path in sources if re.search(r"os\.environ(\.get\(|\[)", path.read_text())
    }
    # Django's own DJANGO_SETTINGS_MODULE is set with setdefault; the embedded servers look at SUDO_UID.
    assert readers - allowed <= {"config/embedded/servers.py"}


# --- defaults --------------------------------------------------------------------------------------------------------


def test_the_defaults_are_safe_and_embedded(load, tmp_path):
    settings = load()
    assert settings["DEBUG"] is False
    assert settings["ALLOWED_HOSTS"] == ["localhost", "127.0.0.1", "[::1]"]
    assert settings["SECRET_KEY"] == (tmp_path / "secret-key").read_text().strip()
    assert settings["EMBEDDED_SERVERS"] == ("postgres", "redis")
    assert settings["CSRF_COOKIE_HTTPONLY"] is True
    assert settings["X_FRAME_OPTIONS"] == "DENY"
    assert settings["EMAIL_BACKEND"] == "accounts.mail.NoServerBackend"  # no link gets into a log


def test_the_content_policy_allows_nothing_inline_and_nobody_else(load):
    directives = load()["CONTENT_SECURITY_POLICY"]["DIRECTIVES"]
    assert directives["default-src"] == ["'none'"]
    words = {word for sources in directives.values() for word in sources}
    assert words <= {"'none'", "'self'", "data:"}
    assert directives["script-src"] == directives["style-src"] == ["'self'"]


def test_clearing_the_cache_does_not_touch_the_jobs(load):
    for environment in ({}, OUTSIDE, OUTSIDE | {"REDIS_URL": "unix:///run/redis.sock?db=4"}):
        settings = load(**environment)
        assert settings["CACHES"]["volatile"]["LOCATION"] != settings["REDIS_URL"]
    assert settings["CACHES"]["volatile"]["LOCATION"] == "unix:///run/redis.sock?db=5"
    assert settings["CELERY_BROKER_URL"] == "redis+socket:///run/redis.sock?virtual_host=4"


def test_outside_servers_replace_the_embedded_ones(load):
    settings = load(**OUTSIDE)
    assert settings["EMBEDDED_SERVERS"] == ()
    database = settings["DATABASES"]["default"]
    assert [database[key] for key in ("HOST", "PORT", "NAME", "USER", "PASSWORD")] == [
        "db", "5432", "litmus", "litmus", "pass"
    ]  # fmt: skip
    assert settings["CELERY_BROKER_URL"] == "redis://cache:6379/0"
    assert load(REDIS_URL=OUTSIDE["REDIS_URL"])["EMBEDDED_SERVERS"] == ("postgres",)


def test_two_installations_on_one_machine_do_not_share_cookies(load):
    names = [load(LITMUS_SECRET_KEY=secret * 50)["SESSION_COOKIE_NAME"] for secret in "ab"]
    assert names[0] != names[1]


# --- what PostgreSQL is given -----------------------------------------------------------------------------------------


def test_each_postgres_is_given_what_litmus_needs_and_the_operators_word_is_the_last(load):
    ours = "-c jit=off -c work_mem=16MB -c random_page_cost=1.1"
    said = [load(**each)["DATABASES"]["default"]["OPTIONS"]["options"] for each in ({}, OUTSIDE)]
    assert said == [ours, ours]
    url = OUTSIDE["DATABASE_URL"] + "?options=-c%20work_mem%3D64MB"
    database = load(**OUTSIDE | {"DATABASE_URL": url})["DATABASES"]["default"]
    assert database["OPTIONS"]["options"] == f"{ours} -c work_mem=64MB"


def test_a_pooler_is_given_nothing(load):
    """It would refuse the connection."""
    assert load(**OUTSIDE, LITMUS_TRANSACTION_POOLER="1")["DATABASES"]["default"]["OPTIONS"]["options"] == ""


@pytest.mark.django_db
def test_postgres_does_what_it_is_asked_for(load):
    settings = load()["POSTGRES_SESSION"]
    assert {name: execute(f"SHOW {name}")[0][0] for name in settings} == settings


def test_what_the_embedded_postgres_has_is_documented_for_others(load):
    text = (CHECKOUT / "docs" / "operations.md").read_text()
    own = text.partition("## Your own PostgreSQL")[2].partition("\n## ")[0]
    for name, value in {**EMBEDDED, **load()["POSTGRES_SESSION"]}.items():
        if name not in OF_ITS_PLACE:
            assert f"`{name}`" in own
            assert value in own
    assert all(f"ALTER ROLE litmus SET {name} = " in text for name in load()["POSTGRES_SESSION"])


# --- TLS -------------------------------------------------------------------------------------------------------------


def test_an_https_address_turns_everything_on_that_needs_tls(load):
    settings = load(LITMUS_SITE_URL="https://label.example/")
    assert settings["SITE_URL"] == "https://label.example"
    assert settings["CSRF_TRUSTED_ORIGINS"] == ["https://label.example"]
    for name in (
        "SECURE_SSL_REDIRECT",
        "SESSION_COOKIE_SECURE",
        "CSRF_COOKIE_SECURE",
        "SECURE_HSTS_INCLUDE_SUBDOMAINS",
    ):
        assert settings[name] is True
    assert settings["SECURE_HSTS_SECONDS"] >= 31_536_000
    assert settings["SECURE_PROXY_SSL_HEADER"] is None  # nobody is believed unless a proxy is said to be there


def test_below_a_path_of_a_proxy_cookies_and_files_have_that_path(load):
    settings = load(LITMUS_SITE_URL="https://example.org/litmus/")
    assert settings["CSRF_TRUSTED_ORIGINS"] == ["https://example.org"]
    assert settings["FORCE_SCRIPT_NAME"] == "/litmus"
    assert settings["STATIC_URL"] == "/litmus/static/"
    assert settings["SESSION_COOKIE_PATH"] == settings["CSRF_COOKIE_PATH"] == "/litmus/"


def test_mails_need_an_address_for_their_links(load):
    with pytest.raises(BadEnvironment, match="LITMUS_SITE_URL is not set"):
        load(LITMUS_EMAIL_URL="smtp://mail")


def test_a_proxy_is_believed_when_it_is_there(load):
    settings = load(LITMUS_BEHIND_PROXY="1")
    assert settings["SECURE_PROXY_SSL_HEADER"] == ("HTTP_X_FORWARDED_PROTO", "https")


@pytest.mark.slow
def test_django_finds_nothing_to_say_about_a_deployment(tmp_path):
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=CHECKOUT,
        env={"PATH": os.environ["PATH"], "LITMUS_DATA_DIR": str(tmp_path), "LITMUS_SITE_URL": "https://label.example"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "postgres").exists()  # no server was started for it


# --- bad values ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        ("LITMUS_DEBUG", "maybe", "use one of 1, true"),
        ("LITMUS_DB_POOL", "many", "whole number"),
        ("LITMUS_DB_POOL", "0", "from 1 to"),
        ("LITMUS_LOG_LEVEL", "loud", "use one of DEBUG"),
        ("LITMUS_SITE_URL", "label.example", "must start with one of http"),
        ("LITMUS_SECRET_KEY", "short", "too short"),
        ("LITMUS_SECRET_KEY", "change-me-" + SECRET, "still the public example"),
        ("DATABASE_URL", "mysql://root@db/litmus", "must start with one of postgres"),
        ("DATABASE_URL", "postgres://litmus@db", "database name is missing"),
        ("DATABASE_URL", "postgres://litmus@db:port/litmus", "port must be a number"),
        ("DATABASE_URL", "postgres://litmus:change-me@db/litmus", "still the public example"),
        ("REDIS_URL", "http://cache", "must start with one of redis"),
        ("REDIS_URL", "redis://cache/first", "must be a number"),
        ("LITMUS_EMAIL_URL", "smtp://", "host is missing"),
        ("LITMUS_SITE_URL", "https://", "host is missing"),
        ("LITMUS_TIME_ZONE", "Mars/Olympus", "name of a time zone"),
    ],
)
def test_a_bad_value_names_its_variable(load, variable, value, reason):
    with pytest.raises(BadEnvironment, match=reason) as caught:
        load(**{**OUTSIDE, variable: value})
    assert variable in str(caught.value)


@pytest.mark.parametrize("variable", ["LITMUS_SECRET_KEY", "DATABASE_URL", "LITMUS_EMAIL_URL"])
def test_secrets_are_not_repeated_in_messages(load, variable):
    values = {
        "LITMUS_SECRET_KEY": "hidden",
        "DATABASE_URL": "mysql://me:hidden@db/x",
        "LITMUS_EMAIL_URL": "imap://me:hidden@mail",
    }
    with pytest.raises(BadEnvironment) as caught:
        load(**{**OUTSIDE, variable: values[variable]})
    assert "hidden" not in str(caught.value)


def test_an_outside_database_needs_a_secret(load, tmp_path):
    with pytest.raises(BadEnvironment, match="LITMUS_SECRET_KEY is not set"):
        load(DATABASE_URL=OUTSIDE["DATABASE_URL"])
    assert list(tmp_path.iterdir()) == []


def test_more_threads_than_connections_are_refused(load):
    with pytest.raises(ImproperlyConfigured, match="LITMUS_DB_POOL"):
        load(LITMUS_WEB_THREADS="16", LITMUS_DB_POOL="8")


# --- addresses -------------------------------------------------------------------------------------------------------


def test_special_characters_in_a_database_address(load):
    url = "postgresql://who%40x:p%2Fw%3A@[fd00::1]:5433/lit%20mus?sslmode=require"
    database = load(**{**OUTSIDE, "DATABASE_URL": url})["DATABASES"]["default"]
    assert [database[key] for key in ("USER", "PASSWORD", "HOST", "PORT", "NAME")] == [
        "who@x", "p/w:", "fd00::1", "5433", "lit mus"
    ]  # fmt: skip
    assert database["OPTIONS"]["sslmode"] == "require"


@pytest.mark.parametrize(
    ("url", "host", "port", "starttls", "tls"),
    [
        ("smtp://mail", "mail", 25, False, False),
        ("smtp+tls://me:p%40ss@mail", "mail", 587, True, False),
        ("smtps://me@mail:4650", "mail", 4650, False, True),
    ],
)
def test_mail_servers(load, url, host, port, starttls, tls):
    settings = load(LITMUS_EMAIL_URL=url, LITMUS_SITE_URL="https://label.example")
    assert settings["EMAIL_BACKEND"].endswith("smtp.EmailBackend")
    found = [settings[f"EMAIL_{key}"] for key in ("HOST", "PORT", "USE_TLS", "USE_SSL")]
    assert found == [host, port, starttls, tls]


def test_linear_algebra_works_in_as_few_threads_as_settings_say() -> None:
    np.linalg.inv(np.eye(2))
    threads = [each["num_threads"] for each in threadpool_info() if each["internal_api"] == "openblas"]
    assert set(threads) == {int(os.environ["OPENBLAS_NUM_THREADS"])}
