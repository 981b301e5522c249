"""Commands are found in the rooms by the names that they say."""

from types import SimpleNamespace

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import get_commands, load_command_class

from accounts.management import finder

APPS = ("corpus", "annotation", "adjudication")


def test_each_command_that_a_room_says_is_loaded_under_this_name():
    found = {name: app for name, app in get_commands().items() if app in APPS}
    assert len(found) > 50
    for name, app in found.items():
        assert type(load_command_class(app, name)).__module__.startswith((app, "accounts.operations"))


def test_a_name_that_is_said_twice_is_refused(tmp_path, monkeypatch):
    for room in ("pools", "runs"):
        (tmp_path / "corpus" / room).mkdir(parents=True)
        (tmp_path / "corpus" / room / "commands.py").write_text('class Command:\n    called = "export"\n')
    apps = SimpleNamespace(get_app_configs=lambda: [SimpleNamespace(path=str(tmp_path / "corpus"))])
    monkeypatch.setattr(finder, "apps", apps)
    monkeypatch.setattr(finder, "CODE", tmp_path)
    with pytest.raises(ImproperlyConfigured, match=r"Two commands are called export: .* corpus\.runs\.commands"):
        finder.commands.__wrapped__()
