"""Errors that Django meets before a view, as pages; 403, 404 and 500 are Django's own handlers with our templates."""

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


@login_not_required
def show_bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """413 with the reason for what is too large to take, 400 for what cannot be understood."""
    if isinstance(exception, RequestDataTooBig):
        reason = str(exception) if exception.args else ""
        if "DATA_UPLOAD_MAX_MEMORY_SIZE" in reason:  # Django's own words name a setting, ours say what to do
            reason = ""
        return render(request, "413.html", {"reason": reason}, status=413)
    return render(request, "400.html", status=400)
