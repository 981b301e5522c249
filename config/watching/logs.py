"""The log: one stream on standard error, as text for people or as JSON for what collects it."""

from typing import Any

TEXT = {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}
JSON = {
    "()": "pythonjsonlogger.json.JsonFormatter",
    "fmt": ["levelname", "name", "message"],
    "rename_fields": {"levelname": "level", "name": "logger", "exc_info": "traceback"},
    "timestamp": "time",  # ISO 8601 in UTC
}
LEVELS = {
    # A page that does not exist or is not yours is no event for an operator.
    "django.request": "ERROR",
    "httpx2": "WARNING",  # it logs each request
    "fontTools": "WARNING",  # it logs each table of each font that a drawing uses
    "matplotlib": "WARNING",  # it logs that it looked for fonts
}


def configuration(level: str, style: str) -> dict[str, Any]:
    """LOGGING for that level and style, `text` or `json`; JSON names the request or the job of each line."""
    quiet = {name: {"level": least} for name, least in LEVELS.items()}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"text": TEXT, "json": JSON}[style]},
        "filters": {"marks": {"()": "accounts.log_marks.Marks"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["marks"]}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {"django": {"handlers": [], "level": level, "propagate": True}, **quiet},
    }


def for_gunicorn(logging: dict[str, Any]) -> dict[str, Any]:
    """LOGGING with the two logs of the web server, which else have handlers that write text."""
    own = {"handlers": ["stderr"], "propagate": False, "level": "INFO"}
    return logging | {"loggers": logging["loggers"] | {"gunicorn.error": own, "gunicorn.access": own}}
