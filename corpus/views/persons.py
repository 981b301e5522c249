"""A person's own data."""

from django.http import JsonResponse
from django.views.decorators.http import require_safe

from accounts.requests import Request
from corpus.actions.persons import data_of


@require_safe
def own_data(request: Request) -> JsonResponse:
    """Everything that Litmus stores about the signed-in person, as a JSON file."""
    response = JsonResponse(data_of(request.user), json_dumps_params={"indent": 1, "ensure_ascii": False})
    response["Content-Disposition"] = 'attachment; filename="my-litmus-data.json"'
    return response
