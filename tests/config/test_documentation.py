"""The documentation site: built without a warning, whole by itself, linked without a gap, served as other pages are."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from django.conf import settings
from django.urls import Resolver404, resolve, reverse
from playwright.sync_api import expect

from accounts.mail import why_links_open_only_here
from adjudication.exporting.registry import EXPORTERS
from config.example_files import NAMES
from config.state import REMEDIES, TESTS
from engines.stats.statistics import STATISTICS
from litmus_ir.verbs import verbs
from tests.browser.axe import faults_everywhere
from tests.conftest import VIEWPORT
from tests.processes import CHECKOUT

MOST = 2_000_000  # bytes of all pictures


class Links(HTMLParser):
    """What a page links to and loads, and the ids that it has."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: set[str] = set()
        self.inline: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        if "id" in named:
            self.ids.add(named["id"])
        if tag == "a" and "href" in named:
            self.links.append(named["href"])
        if tag in ("link", "script", "img", "source"):
            self.loaded += [named[each] for each in ("href", "src") if each in named]
        if tag == "style" or "style" in named or (tag == "script" and "src" not in named):
            self.inline.append(tag)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it."""
    place = tmp_path_factory.mktemp("documentation")
    environment = os.environ | {"LITMUS_DATA_DIR": str(place / "data")}
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(place / "site")]
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return place / "site"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Links]:
    return {path: Links(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}


def target(site: Path, page: Path, link: str) -> tuple[Path, str]:
    """The file and the id that a relative link of a page leads to."""
    parts = urlsplit(link)
    file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    return (file / "index.html" if file.is_dir() else file), unquote(parts.fragment)


def test_no_link_and_no_anchor_is_dead(site, pages):
    dead = []
    for page, found in pages.items():
        for link in [*found.links, *found.loaded]:
            if urlsplit(link).scheme:
                continue
            file, anchor = target(site, page, link)
            if not file.is_file() or (anchor and anchor not in pages[file].ids):
                dead.append((str(page.relative_to(site)), link))
    assert len(pages) > 90
    assert not dead


def test_what_the_state_page_and_warnings_link_to_is_there(site, pages, settings):
    settings.SITE_URL = "http://localhost:8000"
    warning = why_links_open_only_here()
    for remedy in [*REMEDIES.values(), warning.remedy]:
        address = urlsplit(remedy.href)
        found = site / address.path.removeprefix("/docs/") / "index.html"
        anchor, _, words = address.fragment.partition(":~:text=")
        assert not anchor or anchor in pages[found].ids, remedy.href
        assert words in found.read_text("utf-8"), remedy.href
    assert set(REMEDIES) == set(TESTS)


def test_pages_load_nothing_from_elsewhere_and_have_no_inline_script_or_style(site, pages):
    """Litmus's Content-Security-Policy would stop it."""
    assert not [(page, each) for page, found in pages.items() for each in found.loaded if urlsplit(each).netloc]
    assert not [(page, found.inline) for page, found in pages.items() if found.inline]
    sheets = "".join(path.read_text("utf-8") for path in site.glob("assets/*.css"))
    assert "url(" not in sheets.replace("url(data:", "").replace('url("data:', "")


def test_no_markdown_is_left_in_pages(site, pages):
    """MkDocs's Markdown has neither fences inside lists nor lists that begin in a paragraph."""
    left = re.compile(r"```|<code>(?:sh|text)\n|<p>[^<]*\n(?:- |\d+\. )|<p>litmus [a-z_]+ [^<]*</p>")
    texts = {page: page.read_text("utf-8") for page in pages if "adr" not in page.relative_to(site).parts}
    assert not [
        (str(page.relative_to(site)), match[0]) for page, text in texts.items() for match in left.finditer(text)
    ]


def test_the_reference_has_what_the_code_has(site):
    commands = "".join(path.read_text("utf-8") for path in site.glob("reference/commands/*/index.html"))
    assert not [name for name in verbs() if f'<h2 id="{name}"' not in commands]
    exports = (site / "reference/exports/index.html").read_text("utf-8")
    assert not [name for name in EXPORTERS.own if f"<code>{name}</code>" not in exports]
    statistics = (site / "reference/statistics/index.html").read_text("utf-8")
    assert not [each.label for each in STATISTICS.own.values() if f">{each.label}<" not in statistics]
    rest = (site / "reference/rest/index.html").read_text("utf-8")
    assert rest.count("<h3") > 130


def test_every_picture_has_both_schemes_and_all_are_small(site):
    pictures = sorted(site.rglob("*.webp"))
    assert pictures
    assert sum(path.stat().st_size for path in pictures) < MOST
    light = {path.name.replace("-light", "") for path in pictures if path.stem.endswith("-light")}
    dark = {path.name.replace("-dark", "") for path in pictures if path.stem.endswith("-dark")}
    assert light == dark


BOLD = re.compile(r"\*\*([^*]+)\*\*")  # in how-to guides what is bold stands on a page, unless it is a sentence


def test_how_to_guides_name_buttons_and_pages_as_they_are_called():
    sources = [path for place in ("templates", "static/js") for path in (CHECKOUT / place).rglob("*.*")]
    for app in ("accounts", "corpus", "annotation", "adjudication", "config"):
        sources += (CHECKOUT / app).rglob("*.py")
    said = " ".join(" ".join(path.read_text("utf-8").split()) for path in sources)
    guides = sorted((CHECKOUT / "docs" / "how-to").glob("*.md"))
    named = [(path.name, label) for path in guides for label in BOLD.findall(path.read_text("utf-8"))]
    assert len(named) > 20
    assert not [each for each in named if not each[1].endswith(".") and each[1] not in said]


WORDS = "collection topic aspect pool item slot unit campaign gold verdict release".split()


def test_pages_link_the_words_of_the_glossary_and_none_that_it_lacks(pages, site):
    templates = "".join(path.read_text("utf-8") for path in (CHECKOUT / "templates").rglob("*.html"))
    linked = set(re.findall(r"""{% term "(\w+)"|{% page_head [^%]*word="(\w+)\"""", templates))
    words = {word for pair in linked for word in pair if word}
    assert words >= set(WORDS)
    assert words <= pages[site / "glossary" / "index.html"].ids


# --- served ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def served(site, settings, db):
    settings.DOCUMENTATION = site
    return reverse("documentation")


def test_everybody_reads_it_in_their_theme(client, served):
    plain = client.get(served)
    assert "<h1" in plain.text
    assert "data-theme" not in plain.text.partition(">")[2].partition(">")[0]
    client.cookies["litmus_theme"] = "dark"
    assert '<html lang="en" data-theme="dark">' in client.get(f"{served}glossary/").text


def test_served_pages_lead_back_and_tutorials_to_their_files(client, served):
    assert f'href="{reverse("home")}">Back to Litmus</a>' in client.get(served).text
    for name in NAMES:
        assert f'href="{reverse("example_download", args=[name])}"' in client.get(f"{served}tutorials/{name}/").text


def test_hashed_files_are_kept_and_pages_are_asked_for(client, served, site):
    [sheet] = site.glob("assets/*.css")
    answer = client.get(f"{served}assets/{sheet.name}")
    answer.close()
    assert "immutable" in answer.headers["Cache-Control"]
    assert answer.headers["Content-Type"].startswith("text/css")
    assert client.get(served).headers["Cache-Control"] == "no-cache"
    index = client.get(f"{served}search/search_index.json")
    index.close()
    again = client.get(
        f"{served}search/search_index.json", headers={"if-modified-since": index.headers["Last-Modified"]}
    )
    assert again.status_code == 304


def test_folders_have_a_slash_and_nothing_else_of_the_disk_is_served(client, served):
    assert client.get(f"{served}glossary").headers["Location"] == f"{served}glossary/"
    for path in ("nowhere/", "nowhere.html", "../../pyproject.toml", "%2e%2e/%2e%2e/pyproject.toml", "assets/"):
        assert client.get(served + path).status_code == 404, path


MAIN = (
    "",
    "how-to/plan-people/",
    "reference/commands/publish/",
    "reference/statistics/",
    "glossary/",
    "search.html?q=pool",
)


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_pages_are_accessible_and_the_search_finds_without_asking_anybody_else(site, settings, page):
    settings.DOCUMENTATION = site
    home, elsewhere = reverse("documentation"), []
    page.on("request", lambda sent: None if "localhost" in urlsplit(sent.url).netloc else elsewhere.append(sent.url))
    faults = [fault for path in MAIN for fault in faults_everywhere(page, home + path)]
    assert not faults, "\n".join(faults)
    page.set_viewport_size(VIEWPORT)
    page.goto(home)
    page.get_by_role("searchbox").fill("tied votes")
    page.get_by_role("searchbox").press("Enter")
    found = page.locator("#search-results a")
    expect(found.first).to_be_visible()
    found.filter(has_text="Decide ties when you are alone").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Decide ties when you are alone")
    shown = page.locator("main img:visible")
    expect(shown).to_have_count(1)  # of two pictures, that of the scheme
    assert not elsewhere


def test_where_it_is_not_built_a_page_says_so(client, db):
    assert "not built yet" in client.get(reverse("documentation")).text


def test_the_wheel_takes_the_site_to_where_the_settings_look():
    about = (CHECKOUT / "pyproject.toml").read_text("utf-8")
    assert '"build/docs" = "litmus_ir/_app/documentation"' in about
    makefile = (CHECKOUT / "Makefile").read_text("utf-8")
    assert "$(MKDOCS)" in re.search(r"(?ms)^wheel:.*?^\n", makefile)[0]
    assert "$(MKDOCS)" in re.search(r"(?ms)^check:.*?^\n", makefile)[0]
    assert settings.BASE_DIR == CHECKOUT


REST = re.compile(r"(?<![A-Z])(GET|POST|PUT|PATCH|DELETE) ([^\s`|]*)")
INSIDE = re.compile(r"REST, in `([^`]+)`")


def rest_lines() -> Iterator[tuple[str, str, str]]:
    """(where, method, address) of each method that the documentation prints with an address."""
    pages = [*CHECKOUT.glob("docs/*.md"), *CHECKOUT.glob("docs/how-to/*.md"), *CHECKOUT.glob("docs/tutorials/*.md")]
    for page in (CHECKOUT / "README.md", *pages):
        inside = ""
        for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
            inside = "" if line.startswith("#") else inside
            inside = match[1] if (match := INSIDE.search(line)) else inside
            for method, address in REST.findall(line):
                starts = address[:1] in ("/", "?") or address.endswith("/") or "/?" in address
                if starts:
                    begin = "" if address.startswith("/") else f"/api/collections/SLUG/{inside}"
                    yield f"{page.name}:{number}", method, begin + address.partition("?")[0]


def test_every_address_of_the_api_that_is_printed_takes_its_method():
    wrong, lines = [], list(rest_lines())
    for where, method, address in lines:
        # The words in capitals stand for a number or a short name; both are an address with a number in it.
        try:
            view = resolve(re.sub(r"\b[A-Z]+\b", "1", address)).func
        except Resolver404:
            wrong.append(f"{where}: {address} is no address")
            continue
        if method.lower() not in dir(view.cls):
            wrong.append(f"{where}: {address} does not take {method}")
    assert len(lines) > 50
    assert wrong == []
