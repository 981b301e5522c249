"""No app names what belongs to an app above its own: not by URL, not by template, not by table.

Imports are held by import-linter; these three are text to it. The source is read as it is: string constants of Python
and the tags of templates. Which app a URL name belongs to is asked of the resolver, tables of the models.
"""

import ast
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import grimp
import pytest
from django.apps import apps
from django.conf import settings
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.extensions import extensions
from accounts.job_kinds import JobKind
from accounts.slots import tabs

ORDER = ("accounts", "corpus", "annotation", "adjudication", "config")  # from the lowest to the highest
OURS = ORDER[:-1]
ROOT = Path(settings.BASE_DIR)
NO_ROOMS = {"models", "templatetags"}
TAG = re.compile(r"\{%.*?%\}", re.DOTALL)
QUOTED = re.compile(r"""["']([^"']+)["']""")
BY_HAND = re.compile(r"""(?:href|action|src|formaction|hx-\w+)=["'](/[^"'{]*)""")
WITH_URLS = {"url", "post", "nothing", "submit"}  # tags that take the name of a URL


def url_names(resolver: URLResolver) -> Iterator[tuple[str, str, re.Pattern[str]]]:
    """Name, app and pattern of every address of ours."""
    for each in resolver.url_patterns:
        if isinstance(each, URLResolver):
            yield from url_names(each)
        elif isinstance(each, URLPattern) and each.name and (app := each.lookup_str.split(".")[0]) in ORDER:
            yield each.name, app, each.pattern.regex


APP_OF_URL = {name: app for name, app, _ in url_names(get_resolver())}
APP_OF_TABLE = {
    model._meta.db_table: model._meta.app_label
    for model in apps.get_models(include_auto_created=True)
    if model._meta.app_label in ORDER
}


def above(app: str) -> tuple[str, ...]:
    return ORDER[ORDER.index(app) + 1 :]


def constants(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Line and text of every string of a module, docstrings apart, and whether it is what a URL is made of."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs, urls = set[int](), set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            docs.add(id(node.value))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"reverse", "reverse_lazy", "redirect"}:
            urls |= {id(each) for each in node.args[:1]}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value, id(node) in urls


def modules(app: str) -> Iterator[Path]:
    return (path for path in sorted((ROOT / app).rglob("*.py")) if "migrations" not in path.parts)


def templates(app: str) -> Iterator[Path]:
    return (path for path in sorted((ROOT / "templates" / app).rglob("*")) if path.is_file())


def tags_of(library_of: str) -> set[str]:
    return {path.stem for path in (ROOT / library_of / "templatetags").glob("*.py")} - {"__init__"}


def python_violations(app: str) -> Iterator[str]:
    """A single word may be anything ("acceptance"); with an underscore, or given to `reverse`, it is a URL name."""
    names = {name for name, owner in APP_OF_URL.items() if owner in above(app)}
    tables = [table for table, owner in APP_OF_TABLE.items() if owner in above(app)]
    any_table = re.compile(rf"\b({'|'.join(tables)})\b") if tables else None
    for path in modules(app):
        for line, text, is_url in constants(path):
            where = f"{path.relative_to(ROOT)}:{line}"
            if text in names and (is_url or "_" in text):
                yield f"{where} names the URL {text} of {APP_OF_URL[text]}"
            if any_table and (found := any_table.search(text)):
                yield f"{where} names the table {found[1]}"


def template_violations(app: str) -> Iterator[str]:
    names = {name for name, owner in APP_OF_URL.items() if owner in above(app)}
    libraries = {name for each in above(app) if (ROOT / each / "templatetags").exists() for name in tags_of(each)}
    libraries -= {name for each in ORDER[: ORDER.index(app) + 1] for name in tags_of(each)}
    for path in templates(app):
        source = path.read_text(encoding="utf-8")
        where = path.relative_to(ROOT)
        for tag in TAG.findall(source):
            words = tag.strip("{%} \n").split()
            for text in QUOTED.findall(tag):
                if text in names and (words[0] in WITH_URLS or "_" in text):
                    yield f"{where} names the URL {text} of {APP_OF_URL[text]}"
                if text.split("/")[0] in above(app) and "/" in text:
                    yield f"{where} names the template {text}"
            if words[0] == "load" and (found := libraries & set(words[1:])):
                yield f"{where} loads {', '.join(found)}"
        yield from (f"{where} writes the address {text} by hand" for text in BY_HAND.findall(source))


@pytest.mark.slow
@pytest.mark.parametrize("app", OURS)
def test_nothing_names_what_is_above_it(app: str) -> None:
    assert [*python_violations(app), *template_violations(app)] == []


def test_the_walk_sees_what_it_looks_for() -> None:
    """Else all would be well for the wrong reason: names, tables, modules and templates are found."""
    assert APP_OF_URL["topic_list"] == "corpus"
    assert APP_OF_URL["campaign_list"] == "annotation"
    assert APP_OF_TABLE["annotation_item"] == "annotation"
    for app in OURS:
        assert any(is_url for path in modules(app) for _, _, is_url in constants(path)), app
        assert any("{% url" in path.read_text(encoding="utf-8") for path in templates(app)), app


def test_places_in_a_bar_are_unique() -> None:
    bars: dict[str, list[int]] = {}
    for room in extensions("tabs").values():
        for tab in room:
            bars.setdefault(tab.bar, []).append(tab.place)
    assert bars
    assert {bar: places for bar, places in bars.items() if len(places) != len(set(places))} == {}


@pytest.mark.parametrize("bar", ["collection", "campaign"])
def test_a_bar_has_its_groups_each_in_one_piece(bar: str) -> None:
    """Groups stand where the first of their tabs does; a tab elsewhere would begin its group a second time."""
    groups = [label for label, _ in groupby(tab.group for tab in tabs(bar))]
    assert all(groups)
    assert len(groups) == len(set(groups))


JOBS = [path for app in OURS for path in sorted((ROOT / app).glob("*/jobs.py")) if path.parts[-2] not in NO_ROOMS]


@pytest.mark.parametrize("path", JOBS, ids=lambda path: "/".join(path.parts[-3:-1]))
def test_the_module_jobs_of_a_room_holds_kinds_of_jobs_and_nothing_else(path: Path) -> None:
    module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    for node in ast.parse(path.read_text(encoding="utf-8")).body[1:]:  # after the docstring
        if not isinstance(node, ast.Import | ast.ImportFrom):
            assert isinstance(node, ast.ClassDef), ast.unparse(node)
            assert issubclass(getattr(module, node.name), JobKind)


def test_what_declares_verbs_stays_small() -> None:
    """What does not fit is a plain function (docs/adr/0051)."""
    modules_of_verbs = (ROOT / "accounts/operations.py", ROOT / "corpus/collections/places.py")
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in modules_of_verbs) <= 250


def test_engines_and_their_tests_need_nothing_but_engines(tmp_path: Path) -> None:
    """Run alone they load no Django and start no server (tests/engines/pytest.ini); what they do not run is read."""
    graph = grimp.build_graph("engines", "tests", include_external_packages=True, cache_dir=None)
    needed = {"engines", "tests"} | {name for name in graph.modules if name.startswith("tests.engines.")}
    for module in [name for name in graph.modules if name.startswith(("engines.", "tests.engines."))]:
        needed |= graph.find_upstream_modules(module)
    assert {name.split(".")[0] for name in needed} & {
        *ORDER,
        "django",
        "rest_framework",
        "celery",
        "pytest_django",
    } == set()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "DJANGO_"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/engines/test_plugins.py"],
        cwd=ROOT,
        env=kept | {"LITMUS_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert not [*tmp_path.iterdir()]
