"""What MkDocs does in addition: pages made from the code, Litmus's own style sheets, pictures in light and dark.

    make docs

Static files carry a hash in their names, so that browsers may keep them.
"""

import hashlib
import json
import os
import re
from pathlib import Path

import django
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

CHECKOUT = Path(__file__).resolve().parents[1]
SHEETS = ("base", "layout", "components", "utilities")  # of the application
TUTORIALS = ("litsearch", "doris-mae", "acm-cr")  # in the order of the road: questions, relevance, contexts
PICTURE = re.compile(r'<img alt="([^"]*)" src="([^"]+)-light\.webp"([^>]*)/?>')
UNSEARCHED = ("adr/", "architecture/", "performance/following/")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make Litmus importable, name the static files by what is in them, list the tutorials and commands there are."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.conf import settings

    from docs.reference import command_pages

    theme = CHECKOUT / "docs" / "theme"
    texts = {
        "stylesheet": ("css", style_sheet() + (theme / "site.css").read_text("utf-8")),
        "script": ("js", (theme / "search.js").read_text("utf-8")),
        "icon": ("svg", (CHECKOUT / "static" / "img" / "litmus.svg").read_text("utf-8")),
    }
    config.extra["assets"] = {name: (_hashed(name, suffix, text), text) for name, (suffix, text) in texts.items()}
    config.extra |= {name: address for name, (address, _) in config.extra["assets"].items()}
    config.extra["version"] = settings.CODE_VERSION
    there = [f"tutorials/{name}.md" for name in TUTORIALS if (CHECKOUT / "docs" / "tutorials" / f"{name}.md").exists()]
    fill(config.nav or [], {"Tutorials": there, "Commands": command_pages()})
    return config


def fill(nav: list[object], sections: dict[str, list[str]]) -> None:
    """Put the pages of these sections into the navigation; a section without any is left out."""
    for entry in list(nav):
        if not isinstance(entry, dict):
            continue
        [(title, inside)] = entry.items()
        if title in sections:
            entry[title] = sections[title]
            if not sections[title]:
                nav.remove(entry)
        else:
            fill(inside, sections)


def style_sheet() -> str:
    """The application's sheets with their parts."""
    from config.staticfiles import PART_OF_A_SHEET

    folder = CHECKOUT / "static" / "css"

    def part(path: Path) -> str:
        text = path.read_text("utf-8")
        return PART_OF_A_SHEET.sub(lambda found: part(path.parent / found[1]), text)

    return "".join(part(folder / f"{name}.css") for name in SHEETS)


def _hashed(name: str, suffix: str, text: str) -> str:
    return f"assets/{name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.{suffix}"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    from docs.reference import pages

    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    for address, text in config.extra["assets"].values():
        files.append(File.generated(config, address, content=text))
    return files


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 - MkDocs's names
    """What may scroll can be reached by keys; each picture in both schemes, of which the browser fetches one."""
    html = html.replace("<pre>", '<pre tabindex="0">')
    html = html.replace("<table>", '<div class="table-scroll" tabindex="0" role="group" aria-label="Table"><table>')
    html = html.replace("</table>", "</table></div>")
    return PICTURE.sub(both_schemes, html)


def both_schemes(found: re.Match[str]) -> str:
    words, path, more = found.groups()
    return "".join(
        f'<img class="only-{scheme}" alt="{words}" src="{path}-{scheme}.webp" loading="lazy"{more}>'
        for scheme in ("light", "dark")
    )


def on_post_build(config: MkDocsConfig) -> None:
    """Take what is for contributors out of the search, and away the map that search engines ask for."""
    site = Path(config.site_dir)
    for name in ("sitemap.xml", "sitemap.xml.gz"):
        (site / name).unlink()
    index = site / "search" / "search_index.json"
    found = json.loads(index.read_text("utf-8"))
    titles = {each["location"]: each["title"] for each in found["docs"]}
    found["docs"] = [
        each
        for each in found["docs"]
        if not each["location"].startswith(UNSEARCHED)
        and each["title"] != titles.get(each["location"].partition("#")[0] if "#" in each["location"] else "-")
    ]  # a page is one entry, and each of its sections: not its heading again
    for each in found["docs"]:
        each["text"] = each["text"].replace("\u00b6", "")  # the links to sections
    index.write_text(json.dumps(found, ensure_ascii=False, separators=(",", ":")), "utf-8")
