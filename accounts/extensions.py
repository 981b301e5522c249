"""What apps above this one bring, under names: declared on their AppConfig as dotted paths.

Paths and not functions: a command or a server that never needs them does not load what they are made of.
"""

from functools import cache
from typing import Any

from django.apps import apps
from django.utils.module_loading import import_string


@cache
def extensions(point: str) -> dict[str, Any]:
    """The objects that all AppConfigs declare in their attribute `point`. Errors: ImportError for a wrong path."""
    declared: dict[str, str] = {}
    for app in apps.get_app_configs():
        declared |= getattr(app, point, {})
    return {name: import_string(path) for name, path in declared.items()}
