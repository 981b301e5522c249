"""Static files under names that carry their hash, so that browsers may keep them for ever."""

from typing import Any

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Also rewrites the imports between our own ES modules (static/js/) to the hashed names.

    Only ours: libraries import by names that an import map or a bundler would have to resolve.
    """

    patterns: tuple[Any, ...]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        _, rewriting = self._js_module_import_aggregation_patterns
        self.patterns = (*self.patterns, ("js/*.js", rewriting))
        super().__init__(*arguments, **options)
