"""While `up` loads the demo, pages say so: the process that loads it holds a lock at which pages look."""

from django.conf import settings
from django.http import HttpRequest

from config.embedded.places import FileLock, is_held, make_directories
from corpus.models import Collection

SLUG = "demo"
_MARK = settings.DATA_DIR / "locks" / "demo"


def is_loaded() -> bool:
    return Collection.objects.filter(slug=SLUG).exists()


def mark_loading() -> FileLock:
    """Say that the demo is being loaded, until every process that has this lock open has closed it or ended."""
    make_directories(settings.DATA_DIR)
    lock = FileLock(_MARK)
    lock.take()
    return lock


def is_loading() -> bool:
    return _MARK.exists() and is_held(_MARK)


def demo(request: HttpRequest) -> dict[str, object]:  # noqa: ARG001 - a context processor
    """For templates: `demo_is_loading`."""
    return {"demo_is_loading": is_loading}
