"""The only settings of Litmus. Every choice an operator has is an environment variable, read through config/env.py."""

from pathlib import Path

from csp.constants import NONE, SELF

from config import embedded
from config.env import Environment, postgres_parameters

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment()

# --- where things live -----------------------------------------------------------------------------------------------
DATA_DIR = env.path("LITMUS_DATA_DIR", BASE_DIR / ".data")
MEDIA_ROOT = env.path("LITMUS_MEDIA_ROOT", DATA_DIR / "media")
STATIC_ROOT = env.path("LITMUS_STATIC_ROOT", DATA_DIR / "static")
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
SITE_URL = env.text("LITMUS_SITE_URL", "http://localhost:8000").rstrip("/")

# --- security --------------------------------------------------------------------------------------------------------
DEBUG = env.flag("LITMUS_DEBUG")
DATABASE_URL = env.url("DATABASE_URL", ("postgres", "postgresql"))
REDIS_URL = env.url("REDIS_URL", ("redis", "rediss", "unix")) or embedded.redis_url(DATA_DIR)
# The servers that Litmus starts itself: those without an address.
EMBEDDED_SERVERS = tuple(
    name for name, url in (("postgres", DATABASE_URL), ("redis", env.text("REDIS_URL"))) if not url
)
SECRET_KEY = env.text("LITMUS_SECRET_KEY") or embedded.secret_key(DATA_DIR, required=bool(DATABASE_URL))
ALLOWED_HOSTS = env.words("LITMUS_ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]"))

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_htmx",
    "csp",
    "allauth",
    "allauth.account",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "config",
    "accounts",
    "corpus",
    "annotation",
    "adjudication",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "accounts.middleware.RefusalMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# --- database, cache, jobs -------------------------------------------------------------------------------------------
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        **(postgres_parameters(DATABASE_URL) if DATABASE_URL else embedded.postgres_settings(DATA_DIR)),
        "OPTIONS": {"pool": {"min_size": 1, "max_size": env.number("LITMUS_DB_POOL", 8, minimum=1), "timeout": 30}},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}}
CELERY_BROKER_URL = REDIS_URL

CODE_VERSION = env.text("LITMUS_VERSION", "0.1.0")  # stored with every computed figure

# --- people ----------------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
LOGIN_REDIRECT_URL = "home"
LOGIN_URL = "account_login"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"

# --- language and time -----------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
TIME_ZONE = env.text("LITMUS_TIME_ZONE", "UTC")
USE_TZ = True

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "manifest-src": [SELF],
    }
}
