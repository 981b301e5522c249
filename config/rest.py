"""Settings of the REST API and of its description, for config/settings.py."""

from typing import Any

ENUM_NAMES = {
    "CampaignStateEnum": "annotation.models.CampaignState",
    "AssignmentStateEnum": "annotation.models.AssignmentState",
    "AnnotatorKindEnum": "annotation.models.items.AnnotatorKind",
    "AnnotatorStateEnum": "annotation.models.items.AnnotatorState",
    "JobStateEnum": "accounts.models.JobState",
    "CampaignKindEnum": "annotation.models.campaigns.KIND_CHOICES",
    "MachineKindEnum": "annotation.models.machines.MachineKind",
    "CampaignOrderEnum": "annotation.models.Order",
    "TopicKindEnum": "corpus.models.TopicKind",
    "MailPurposeEnum": "corpus.models.MailPurpose",
    "PromptPurposeEnum": "corpus.models.PromptPurpose",
    "ModelPurposeEnum": "corpus.models.ModelPurpose",
    "CampaignPurposeEnum": "annotation.models.campaigns.Purpose",
    "AuthorStateEnum": "corpus.questions.operations.AUTHOR_STATES",
    "PaperStateEnum": "adjudication.papers.api.STATES",
    "CycleOutcomeEnum": "annotation.models.Outcome",
}


def framework(rate: int) -> dict[str, Any]:
    """Of Django REST framework; `rate` is how many requests a minute each person may send."""
    return {
        "DEFAULT_AUTHENTICATION_CLASSES": [
            "accounts.authentication.TokenAuthentication",  # first: it names the scheme in 401 answers
            "rest_framework.authentication.SessionAuthentication",
        ],
        "DEFAULT_PERMISSION_CLASSES": [
            "rest_framework.permissions.IsAuthenticated",
            "accounts.scopes.ScopeAllows",
        ],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_PARSER_CLASSES": ["accounts.parsers.JSONParser"],
        "DEFAULT_METADATA_CLASS": None,  # OPTIONS is 405: what an address takes is in the description of the API
        "DEFAULT_SCHEMA_CLASS": "accounts.api_schema.OperationSchema",
        "DEFAULT_THROTTLE_CLASSES": ["accounts.throttling.PersonThrottle"],
        "DEFAULT_THROTTLE_RATES": {"user": f"{rate}/min"},  # for each person
        "EXCEPTION_HANDLER": "accounts.problems.problem_handler",
        "URL_FORMAT_OVERRIDE": None,
    }


def description(*, version: str, path: str) -> dict[str, Any]:
    """Of drf-spectacular; `path` is that below which a proxy serves Litmus, mostly ""."""
    return {
        "TITLE": "Litmus",
        "DESCRIPTION": "Make retrieval test collections: the same actions and permissions as on the pages.",
        "VERSION": version,
        "SERVE_INCLUDE_SCHEMA": False,
        "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated", "accounts.scopes.ScopeAllows"],
        "SWAGGER_UI_DIST": "SIDECAR",
        "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
        "SCHEMA_PATH_PREFIX": "/api/",
        "SERVERS": [{"url": path}] if path else [],
        "COMPONENT_SPLIT_REQUEST": True,
        "ENUM_NAME_OVERRIDES": ENUM_NAMES,
    }
