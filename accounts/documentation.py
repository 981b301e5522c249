"""The documentation site at /docs/: files that `make docs` has built, the same in every installation.

Open to everybody: it says nothing of an installation, and people read it before they have an account.
"""

import re
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import SuspiciousFileOperation
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render, resolve_url
from django.utils._os import safe_join
from django.views.decorators.http import require_safe
from django.views.static import serve

from accounts.requests import OpenRequest
from accounts.slots import tab_address
from accounts.themes import Theme, theme_of

HEAD = '<html lang="en"'
FOR_EVER = "public, max-age=31536000, immutable"  # for names that carry a hash
WAY_BACK = "<!-- way back -->"  # stands in each page; elsewhere than in a Litmus it leads nowhere, and is not shown
EXAMPLE = re.compile("<!-- example files: ([a-z-]+) -->")  # likewise, in tutorials
ASK = "no-cache"  # kept, and asked for each time whether it is still so


@login_not_required
@require_safe
def show_page(request: OpenRequest, path: str = "") -> HttpResponseBase:
    """A page in the person's theme, or a file that pages show."""
    root = Path(settings.DOCUMENTATION)
    if not (root / "index.html").exists():
        return render(request, "accounts/documentation_missing.html")
    file = _file(root, path)
    if file.is_dir():
        return HttpResponseRedirect(quote(f"{request.path}/"))
    if file.suffix == ".html" and file.is_file():
        answer: HttpResponseBase = HttpResponse(_in_theme(_with_links(file.read_text("utf-8")), theme_of(request)))
    else:
        answer = serve(request, str(file.relative_to(root)), str(root))
    answer.headers["Cache-Control"] = FOR_EVER if path.startswith("assets/") else ASK
    return answer


def _file(root: Path, path: str) -> Path:
    """The file of an address: that of a folder is its index.html. Errors: Http404 for an address that leaves `root`."""
    try:
        return Path(safe_join(root, f"{path}index.html" if not path or path.endswith("/") else path))
    except SuspiciousFileOperation as error:
        raise Http404 from error


def _with_links(html: str) -> str:
    """With the links into this Litmus: back to it, and to the files of a tutorial."""
    html = html.replace(
        WAY_BACK, f'<a class="button quiet" href="{resolve_url(settings.LOGIN_REDIRECT_URL)}">Back to Litmus</a>', 1
    )
    return EXAMPLE.sub(_example, html)


def _example(found: re.Match[str]) -> str:
    address = tab_address("examples", "files", found[1])
    return f'<p>On pages: <a href="{address}" download>Download the example files (ZIP)</a>, and unpack them.</p>'


def _in_theme(html: str, theme: Theme) -> str:
    return html if theme == Theme.SYSTEM else html.replace(HEAD, f'{HEAD} data-theme="{theme.value}"', 1)
