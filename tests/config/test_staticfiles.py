import json
import os
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles.storage import storages

from config.staticfiles import collect_if_changed


@pytest.fixture
def collected(settings, tmp_path: Path):
    """The static files as the product serves them: hashed and compressed."""
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": "config.staticfiles.HashedStaticFiles"}}
    storages._storages.clear()
    yield settings.STATIC_ROOT
    storages._storages.clear()


def test_collecting_happens_once_for_the_same_files_and_again_for_others(collected, settings, tmp_path):
    extra = tmp_path / "extra"
    extra.mkdir()
    (extra / "one.css").write_text("a { color: red }")
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, extra]
    assert collect_if_changed() is True
    assert collect_if_changed() is False
    os.utime(extra / "one.css", ns=(0, 0))
    assert collect_if_changed() is True


def test_modules_import_each_other_by_their_hashed_names(collected):
    assert collect_if_changed()
    names = json.loads((collected / "staticfiles.json").read_text())["paths"]
    scripts = [collected / hashed for name, hashed in names.items() if re.match(r"js/.*\.js$", name)]
    assert scripts
    for script in scripts:
        for imported in re.findall(r"""(?:from|import)\s*["'](\.\.?/[^"']+)["']""", script.read_text()):
            found = os.path.normpath(script.parent / imported)
            assert os.path.relpath(found, collected) in names.values(), f"{script.name} imports {imported}"


def test_a_style_sheet_and_its_parts_are_one_file(collected, settings):
    """Whatever is linked holds the text of all its parts, and follows when one of them changes."""
    assert collect_if_changed()
    names = json.loads((collected / "staticfiles.json").read_text())["paths"]
    source = Path(settings.BASE_DIR) / "static/css"
    parts = {sheet.name: list((source / sheet.stem).glob("*.css")) for sheet in source.glob("*.css")}
    assert parts["components.css"]
    for sheet, files in parts.items():
        served = (collected / names[f"css/{sheet}"]).read_text()
        assert "@import" not in served
        assert not [file.name for file in files if file.read_text() not in served], sheet
