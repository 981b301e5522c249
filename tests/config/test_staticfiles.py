import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles.storage import storages
from django.test import override_settings

from config.staticfiles import collect_if_changed


@contextmanager
def product_storage(place: Path) -> Iterator[None]:
    """The static files as the product serves them: hashed and compressed."""
    storage = settings.STORAGES | {"staticfiles": {"BACKEND": "config.staticfiles.HashedStaticFiles"}}
    with override_settings(STATIC_ROOT=place, STORAGES=storage):
        storages._storages.clear()
        yield
    storages._storages.clear()


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All our static files, collected once."""
    place = tmp_path_factory.mktemp("collected")
    with product_storage(place):
        assert collect_if_changed()
    return place


def test_collecting_happens_once_for_the_same_files_and_again_for_others(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "one.css").write_text("a { color: red }")
    few = {
        "STATICFILES_DIRS": [source],
        "STATICFILES_FINDERS": ["django.contrib.staticfiles.finders.FileSystemFinder"],
    }
    with product_storage(tmp_path / "static"), override_settings(**few):
        assert collect_if_changed() is True
        assert collect_if_changed() is False
        os.utime(source / "one.css", ns=(0, 0))
        assert collect_if_changed() is True


@pytest.mark.slow
def test_modules_import_each_other_by_their_hashed_names(collected):
    names = json.loads((collected / "staticfiles.json").read_text())["paths"]
    scripts = [collected / hashed for name, hashed in names.items() if re.match(r"js/.*\.js$", name)]
    assert scripts
    for script in scripts:
        for imported in re.findall(r"""(?:from|import)\s*["'](\.\.?/[^"']+)["']""", script.read_text()):
            found = os.path.normpath(script.parent / imported)
            assert os.path.relpath(found, collected) in names.values(), f"{script.name} imports {imported}"


@pytest.mark.slow
def test_a_style_sheet_and_its_parts_are_one_file(collected):
    """Whatever is linked holds the text of all its parts, and follows when one of them changes."""
    names = json.loads((collected / "staticfiles.json").read_text())["paths"]
    source = Path(settings.BASE_DIR) / "static/css"
    joined = set()
    for sheet in source.glob("*.css"):
        parts = [source / part for part in re.findall(r'^@import url\("(.*)"\);$', sheet.read_text(), re.MULTILINE)]
        served = (collected / names[f"css/{sheet.name}"]).read_text()
        assert "@import" not in served
        assert not [part.name for part in parts if part.read_text() not in served], sheet
        joined |= set(parts)
    apart = {str(path.relative_to(source)) for path in source.glob("*/**/*.css") if path not in joined}
    pages = "\n".join(path.read_text() for path in (source.parents[1] / "templates").rglob("*.html"))
    assert not [name for name in apart if f"css/{name}" not in pages], "neither part of a sheet nor linked by a page"


@pytest.mark.slow
def test_what_pages_ask_for_is_collected_once_and_nothing_else(collected):
    names = json.loads((collected / "staticfiles.json").read_text())["paths"]
    templates = "\n".join(path.read_text() for path in Path(settings.BASE_DIR, "templates").rglob("*.html"))
    asked = set(re.findall(r"""{% static ["']([^"']+)["']""", templates))
    assert len(asked) > 20
    assert asked | {"drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js"} <= set(names)
    assert not [name for name in names if name.startswith(("rest_framework/", "drf_spectacular_sidecar/redoc/"))]
    files = {str(path.relative_to(collected)) for path in collected.rglob("*") if path.is_file()}
    assert {name.removesuffix(".gz") for name in files} == {*names.values(), "staticfiles.json", "collected"}
