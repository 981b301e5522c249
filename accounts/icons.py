"""The icon of this site for browsers that read no page, and the manifest of home screens."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import get_script_prefix
from django.views.decorators.http import require_safe

from accounts.requests import OpenRequest

MANIFEST_ICONS = (("icon-192.png", 192, "any"), ("icon-512.png", 512, "any"), ("icon-mask.png", 512, "maskable"))


@login_not_required
@require_safe
def web_manifest(request: OpenRequest) -> JsonResponse:  # noqa: ARG001
    """What phones and Chromium need to keep Litmus on a home screen: name, colours, icons."""
    icons = [
        {"src": static(f"img/{name}"), "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
        for name, size, purpose in MANIFEST_ICONS
    ]
    shown = {"name": "Litmus", "short_name": "Litmus", "start_url": get_script_prefix(), "display": "browser"}
    colours = {"background_color": "#faf8f4", "theme_color": "#ffffff"}
    return JsonResponse(shown | colours | {"icons": icons}, content_type="application/manifest+json")


@login_not_required
@require_safe
def favicon(request: OpenRequest) -> HttpResponse:  # noqa: ARG001
    """For what asks for an icon without reading a page: a PDF or a picture opened alone, bookmarks."""
    return redirect(static("img/favicon.ico"))
