"""The only settings of Litmus. Every choice an operator has is an environment variable, read through config/env.py.

config/variables.py says what each is for; docs/configuration.md is made from both.
"""

import hashlib
import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from accounts.queues import Queue
from config import databases, embedded, policies, rest, sign_on
from config.addresses import last_address
from config.env import (
    BadEnvironment,
    Environment,
    bucket_parameters,
    celery_broker,
    email_parameters,
    postgres_parameters,
    redis_database,
    usable_cores,
)
from config.secret import secret_key
from config.watching import logs

BASE_DIR = Path(__file__).resolve().parent.parent
# What people type: the program where it is installed next to Python, by the wheel or in the image.
PROGRAM = "litmus" if Path(sys.executable).with_name("litmus").exists() else "manage.py"
env = Environment()

# --- where things live -----------------------------------------------------------------------------------------------
DATA_DIR = env.path("LITMUS_DATA_DIR", BASE_DIR / ".data")
MEDIA_ROOT = env.path("LITMUS_MEDIA_ROOT", DATA_DIR / "media")
STATIC_ROOT = env.path("LITMUS_STATIC_ROOT", DATA_DIR / "static")
INDEX_DIR = env.path("LITMUS_INDEX_DIR", DATA_DIR / "indexes")  # a cache: built or fetched again when it is lost
BUCKET = bucket_parameters(env.url("LITMUS_BUCKET_URL", ("https", "http")))  # {}: files are in MEDIA_ROOT
LOCAL_COPIES = env.number("LITMUS_LOCAL_COPIES_MB", 20_000, minimum=1) * 1_000_000  # bytes
INDEX_SHARD = env.number("LITMUS_INDEX_SHARD", 1_000_000, minimum=1)  # documents of a part of an index at most
STATICFILES_DIRS = [BASE_DIR / "static"]
# Built by `make docs`: inside the wheel, or where a checkout or an image has built it.
DOCUMENTATION = BASE_DIR / "documentation" if BASE_DIR.name == "_app" else BASE_DIR / "build" / "docs"
# OpenBLAS threads wait for each other in a loop: on the arrays here two take no less time than one, and twice the
# processor time. It reads this when NumPy is first imported, which no module does that is loaded before settings.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
CORES = usable_cores()
SITE_URL = env.site("LITMUS_SITE_URL", last_address(DATA_DIR))
SITE_URL_IS_GIVEN = bool(env.text("LITMUS_SITE_URL"))
_site = urlsplit(SITE_URL)
SITE_PATH = _site.path  # such as /litmus, where a proxy serves other things on the same host; mostly ""
FORCE_SCRIPT_NAME = SITE_PATH or None
STATIC_URL, WHITENOISE_STATIC_PREFIX = f"{SITE_PATH}/static/", "/static/"

DATABASE_URL = env.url("DATABASE_URL", ("postgres", "postgresql"))
OUTSIDE_REDIS_URL = env.url("REDIS_URL", ("redis", "rediss", "unix"))
REDIS_URL = OUTSIDE_REDIS_URL or embedded.redis_url(DATA_DIR)
# The servers that Litmus starts itself: those without an address.
EMBEDDED_SERVERS = tuple(n for n, url in (("postgres", DATABASE_URL), ("redis", OUTSIDE_REDIS_URL)) if not url)

# --- security --------------------------------------------------------------------------------------------------------
DEBUG = env.flag("LITMUS_DEBUG")
SECRET_KEY = env.secret("LITMUS_SECRET_KEY", required=bool(DATABASE_URL)) or secret_key(DATA_DIR)
SECRET_KEY_FALLBACKS = env.words("LITMUS_OLD_SECRET_KEYS")  # signed links and sessions survive a change of the key
_named = (_site.hostname or "",) if SITE_URL_IS_GIVEN else ()
ALLOWED_HOSTS = env.words("LITMUS_ALLOWED_HOSTS", tuple(dict.fromkeys(("localhost", "127.0.0.1", "[::1]", *_named))))
CSRF_TRUSTED_ORIGINS = env.words("LITMUS_TRUSTED_ORIGINS", (f"{_site.scheme}://{_site.netloc}",))

HTTPS = env.flag("LITMUS_HTTPS", SITE_URL.startswith("https://"))
SECURE_SSL_REDIRECT = HTTPS
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = f"{SITE_PATH}/"
SECURE_HSTS_SECONDS = env.number("LITMUS_HSTS_SECONDS", 31_536_000) * HTTPS
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
# A domain on the browsers' built-in list cannot easily leave it: its owner decides, not Litmus.
SILENCED_SYSTEM_CHECKS = ["security.W021"]
# Only behind a proxy that always sets or removes this header: anybody else could claim to come by TLS.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.flag("LITMUS_BEHIND_PROXY") else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_COOKIE_HTTPONLY = True  # pages hand the token to htmx in a header
SESSION_ENGINE = "accounts.sessions"  # in PostgreSQL, never in Redis: see docs/adr/0026
SESSION_COOKIE_AGE = env.number("LITMUS_SESSION_DAYS", 14, minimum=1, maximum=400) * 24 * 3600
# Browsers share cookies between the ports of a host: two installations on one machine must not sign each other out.
_cookie_suffix = hashlib.sha256(SECRET_KEY.encode()).hexdigest()[:8]
SESSION_COOKIE_NAME = f"litmus_session_{_cookie_suffix}"
CSRF_COOKIE_NAME = f"litmus_csrf_{_cookie_suffix}"
MESSAGES_COOKIE_NAME = f"litmus_messages_{_cookie_suffix}"
BROWSER_COOKIE_NAME = f"litmus_browser_{_cookie_suffix}"  # see annotation/labelling/pages/browsers.py

CONTENT_SECURITY_POLICY, PERMISSIONS_POLICY = policies.CONTENT_SECURITY, policies.PERMISSIONS

# Bodies other than files (forms, API) are held in memory, so they stay small; files go through the disk.
DATA_UPLOAD_MAX_MEMORY_SIZE = env.number("LITMUS_BODY_LIMIT_MB", 20, minimum=1) * 1_000_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000
UPLOAD_LIMIT = env.number("LITMUS_UPLOAD_LIMIT_MB", 2_000, minimum=1) * 1_000_000  # bytes of all files of a request
COLLECTION_DOCUMENTS = env.number("LITMUS_COLLECTION_DOCUMENTS", 0)  # that a collection may have; 0: any number
COLLECTION_BYTES = env.number("LITMUS_COLLECTION_MB", 0) * 1_000_000  # of the files of its imports; 0: any
# What a file may cost the process that reads it: seconds of processor time for one record, memory.
READING_SECONDS = env.number("LITMUS_READING_SECONDS", 120, minimum=1)
READING_MEGABYTES = env.number("LITMUS_READING_MB", 2_048, minimum=64)
# On the disk of the media: /tmp may be small or memory, and a release that is written takes its place without a copy.
FILE_UPLOAD_TEMP_DIR = MEDIA_ROOT / "arriving"
FILE_UPLOAD_HANDLERS = [
    "config.uploads.UploadLimit",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "config.uploads.TemporaryFiles",
]

# --- what it is made of ----------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "accounts",  # before django.contrib.auth: its own command changepassword goes first
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.forms",
    "django_htmx",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "config",
    "corpus",
    "annotation",
    "adjudication",
]

MIDDLEWARE = [
    "config.headers.HeadMiddleware",
    "config.watching.health.HealthMiddleware",
    "accounts.log_marks.RequestMarkMiddleware",
    "config.watching.figures.FiguresMiddleware",
    "config.watching.request_figures.RequestFiguresMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "config.headers.DefaultsMiddleware",
    "config.headers.PageCompressionMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.fitness.FitnessMiddleware",
    "accounts.edge.AddressMiddleware",
    "accounts.doors.DoorMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.languages.LanguageMiddleware",  # knows the person
    "accounts.middleware.SignInMiddleware",
    "accounts.edge.BodyMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "accounts.middleware.RefusalMiddleware",
    "corpus.middleware.CollectionMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"  # templates/django/forms/ come before Django's
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
                "config.demo.loading.demo",
                "accounts.mail.mail",
            ],
            "builtins": [
                "django.contrib.humanize.templatetags.humanize",
                "django.templatetags.static",
                "accounts.templatetags.components",
                "accounts.templatetags.figures",
            ],
        },
    }
]
STORAGES = {
    "default": {"BACKEND": "accounts.files.bucket.BucketStorage", "OPTIONS": BUCKET}
    if BUCKET
    else {"BACKEND": "accounts.files.folder.FolderStorage"},
    "staticfiles": {"BACKEND": "config.staticfiles.HashedStaticFiles"},
}
WHITENOISE_ALLOW_ALL_ORIGINS = False  # pages elsewhere need none of them
WHITENOISE_KEEP_ONLY_HASHED_FILES = True  # no page asks for the others, and to compress both is twice the work
CODE_VERSION = env.text("LITMUS_VERSION", "0.2.0")  # stored with every computed figure

# --- database, cache -------------------------------------------------------------------------------------------------
_postgres = postgres_parameters(DATABASE_URL) if DATABASE_URL else {**embedded.postgres_settings(DATA_DIR)}
POSTGRES_SESSION = databases.SESSION
# A pooler gives each transaction another session: nothing that lives in a session may be counted on.
TRANSACTION_POOLER = env.flag("LITMUS_TRANSACTION_POOLER")
DB_POOL = env.number("LITMUS_DB_POOL", 8, minimum=1, maximum=1000)
_prepares = env.flag("LITMUS_PREPARED_STATEMENTS", not TRANSACTION_POOLER)
DATABASES = {"default": databases.postgres(_postgres, pool=DB_POOL, has_pooler=TRANSACTION_POOLER, prepares=_prepares)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# Clearing the cache empties its Redis database, which must therefore not be the one that holds the jobs.
CACHE_URL = env.url("LITMUS_CACHE_URL", ("redis", "rediss", "unix")) or redis_database(REDIS_URL, 1)
CACHES = databases.caches(CACHE_URL, version=CODE_VERSION)

# --- background jobs -------------------------------------------------------------------------------------------------
JOB_TIME_LIMIT = env.number("LITMUS_JOB_HOURS", 12, minimum=1, maximum=1000) * 3600  # seconds
COLLECTION_JOBS = env.number("LITMUS_COLLECTION_JOBS", 2, minimum=1)  # heavy ones at the same time
TASK_QUEUE = "config.celery.app"  # loaded when the first job is sent
CELERY_BROKER_URL = celery_broker(REDIS_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker waits for Redis as long as it takes
# Redis gives a message to another worker after this time; no job may still be running then.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": JOB_TIME_LIMIT + 3600,
    "socket_connect_timeout": 2,  # seconds that a request may wait for a silent Redis
    "socket_timeout": 5,
}
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0}  # what is not sent, beat sends later
QUEUES = env.several("LITMUS_QUEUES", tuple(Queue))  # those that a worker serves
CELERY_TASK_QUEUES = {name: {"exchange": name} for name in QUEUES}
CELERY_TASK_DEFAULT_QUEUE = Queue.QUICK.value
CELERY_TASK_ROUTES = (
    "accounts.queues.queue_of",
    {"corpus.tasks.help_with_parts": {"queue": Queue.INDEX.value}},
)
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SOFT_TIME_LIMIT = JOB_TIME_LIMIT
CELERY_TASK_TIME_LIMIT = JOB_TIME_LIMIT + 300
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = CELERY_EVENT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CONCURRENCY = env.number("LITMUS_WORKER_PROCESSES", min(2, CORES), minimum=1, maximum=500)
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Seconds that requests and steps of jobs may go on once their process is asked to end (SIGTERM).
DRAIN_SECONDS = env.number("LITMUS_DRAIN_SECONDS", 10, minimum=1)
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 5  # seconds for running jobs at SIGQUIT; then they go back to the queue
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"  # in memory: no file to lose, lock or mount
CELERY_BEAT_SCHEDULE = {
    "resume lost jobs": {"task": "accounts.tasks.resume_lost_jobs", "schedule": 15.0},
    "start due jobs": {"task": "accounts.tasks.start_due_jobs", "schedule": 60.0},
    "send daily mails": {"task": "accounts.tasks.send_digests", "schedule": 60.0},
    "call due webhooks": {"task": "corpus.tasks.call_due_webhooks", "schedule": 60.0},
    "forget webhook deliveries": {"task": "corpus.tasks.forget_webhook_deliveries", "schedule": 3600.0},
    "clear sessions": {"task": "config.tasks.clear_sessions", "schedule": 3600.0},
}

# --- the web server (config/gunicorn.py) -----------------------------------------------------------------------------
WEB_PROCESSES = env.number("LITMUS_WEB_PROCESSES", min(4, CORES), minimum=1, maximum=500)
WEB_THREADS = env.number("LITMUS_WEB_THREADS", 4, minimum=1, maximum=500)
WEB_NOTICE = env.number("LITMUS_WEB_NOTICE_SECONDS", 0)
WEB_TIMEOUT = env.number("LITMUS_WEB_TIMEOUT", 120, minimum=1)  # seconds
ACCESS_LOG = env.flag("LITMUS_ACCESS_LOG")
if DB_POOL < WEB_THREADS:
    raise ImproperlyConfigured(
        f"LITMUS_WEB_THREADS={WEB_THREADS} threads would wait for {DB_POOL} database connections: "
        "set LITMUS_DB_POOL to at least as many."
    )

# --- people ----------------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_REDIRECT_URL = "home"
LOGIN_URL = "account_login"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"  # an account begins with an invitation that came by e-mail
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {  # with our labels
    "login": "accounts.sign_in_forms.LoginForm",
    "reset_password": "accounts.sign_in_forms.ResetPasswordForm",
    "reset_password_from_key": "accounts.sign_in_forms.ResetPasswordKeyForm",
    "add_email": "accounts.sign_in_forms.AddEmailForm",
    "change_password": "accounts.sign_in_forms.ChangePasswordForm",
}
ACCOUNT_CHANGE_EMAIL = True  # the new address counts once it is confirmed
ACCOUNT_REAUTHENTICATION_REQUIRED = True  # before the address changes
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False  # strangers are not mailed
ACCOUNT_EMAIL_NOTIFICATIONS = True  # those that accounts/adapter.py lets through
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Litmus: "
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
ACCOUNT_RATE_LIMITS = {  # in addition to allauth's own
    "author_answer": "60/m/ip,12/m/key",  # the personal pages of authors
    "first_account": "20/m/ip",  # tries of the code that makes the first account, which has five itself
    "invitation_mail": "30/h/ip,3/h/key",  # asked for by who has the link that a manager handed over
}
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if SECURE_PROXY_SSL_HEADER else 0  # whose address the rate limits count
SIGN_ON = sign_on.providers(env.file("LITMUS_SIGN_ON_FILE"))  # by the key of each
SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [each.for_allauth for each in SIGN_ON.values()]}}
SOCIALACCOUNT_ADAPTER = "accounts.sign_on.adapter.SignOnAdapter"
SOCIALACCOUNT_FORMS = {"disconnect": "accounts.sign_in_forms.DisconnectForm"}
SOCIALACCOUNT_LOGIN_ON_GET = True  # a link and not a form, which may lead to addresses of ours alone
SOCIALACCOUNT_STORE_TOKENS = False  # nothing is asked of a provider later
OPENID_CONNECT_URL_PREFIX = "oidc"
PASSWORDS_ONLY_FOR = env.text("LITMUS_PASSWORDS_ONLY_FOR").lower()
if PASSWORDS_ONLY_FOR and not SIGN_ON:
    raise ImproperlyConfigured("LITMUS_PASSWORDS_ONLY_FOR would lock everybody out: set LITMUS_SIGN_ON_FILE, too.")
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Litmus"
MFA_ALLOW_UNVERIFIED_EMAIL = True
MESSAGE_STORAGE = "accounts.message_cookies.Messages"
MESSAGE_TAGS = {10: "info", 20: "info", 25: "ok", 30: "warn", 40: "bad"}  # the stylesheet's names of the levels
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text("LITMUS_EMAIL_FROM", "Litmus <litmus@localhost>")
_email = email_parameters(env.url("LITMUS_EMAIL_URL", ("smtp", "smtp+tls", "smtps")))
if _email.host and not SITE_URL_IS_GIVEN:
    raise BadEnvironment(
        "LITMUS_SITE_URL is not set. With LITMUS_EMAIL_URL it must be given: mails hold links. Set it to the address "
        "that people open, such as https://litmus.example.org (to try it on this machine alone: http://localhost:8000)."
    )
EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend" if _email.host else "accounts.mail.NoServerBackend"
EMAIL_HOST, EMAIL_PORT = _email.host, _email.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _email.user, _email.password
EMAIL_USE_TLS, EMAIL_USE_SSL = _email.starttls, _email.tls
EMAIL_TIMEOUT = 20
MAIL_RATE = env.number("LITMUS_MAIL_RATE", 60)  # letters to authors, daily mails per minute; 0: no limit
DIGEST_HOUR = env.number("LITMUS_DIGEST_HOUR", 7, maximum=23)  # of the day, in TIME_ZONE: daily mails go out from then

# --- registries of publications ---------------------------------------------------------------------------------------
CROSSREF_URL = (env.url("LITMUS_CROSSREF_URL", ("http", "https")) or "").rstrip("/")
OPENALEX_URL = (env.url("LITMUS_OPENALEX_URL", ("http", "https")) or "").rstrip("/")
OPENALEX_KEY = env.text("LITMUS_OPENALEX_KEY")
REGISTRY_MAILTO = env.text("LITMUS_REGISTRY_MAILTO")

# --- language models --------------------------------------------------------------------------------------------------
# Any OpenAI-compatible chat endpoint. Without an address and a model, what needs one says so and stays off.
LLM_BASE_URL = (env.url("LITMUS_LLM_BASE_URL", ("http", "https")) or "").rstrip("/")
LLM_API_KEY = env.text("LITMUS_LLM_API_KEY")
LLM_MODEL = env.text("LITMUS_LLM_MODEL")
LLM_TIMEOUT = env.number("LITMUS_LLM_TIMEOUT", 120, minimum=1, maximum=3600)  # seconds without a byte
LLM_MAX_TOKENS = env.number("LITMUS_LLM_MAX_TOKENS", 2000)  # of one answer; 0: the endpoint's own limit
LLM_CONCURRENCY = env.number("LITMUS_LLM_CONCURRENCY", 4, minimum=1, maximum=100)
LLM_RATE = env.number("LITMUS_LLM_RATE", 60)  # requests a minute of each job; 0: no limit
LLM_ATTEMPTS = env.number("LITMUS_LLM_ATTEMPTS", 6, minimum=1, maximum=50)
LLM_PRICE_IN = env.decimal("LITMUS_LLM_PRICE_IN")  # for a million tokens; None: not known, so no cost is reported
LLM_PRICE_OUT = env.decimal("LITMUS_LLM_PRICE_OUT")
LLM_CURRENCY = env.text("LITMUS_LLM_CURRENCY", "USD")
# The same for vectors of texts; time-out, concurrency and tries are those of language models.
EMBEDDINGS_BASE_URL = (env.url("LITMUS_EMBEDDINGS_BASE_URL", ("http", "https")) or "").rstrip("/")
EMBEDDINGS_API_KEY = env.text("LITMUS_EMBEDDINGS_API_KEY")
EMBEDDINGS_MODEL = env.text("LITMUS_EMBEDDINGS_MODEL")
EMBEDDINGS_BATCH = env.number("LITMUS_EMBEDDINGS_BATCH", 64, minimum=1, maximum=2048)  # texts of one request
EMBEDDINGS_RATE = env.number("LITMUS_EMBEDDINGS_RATE", 600)  # requests a minute of each job; 0: no limit
# Networks of the inside that addresses typed by staff may lead to; those of the environment lead anywhere.
INNER_ADDRESSES = env.networks("LITMUS_INNER_ADDRESSES")
VECTOR_STORE = env.choice("LITMUS_VECTOR_STORE", "auto", ("auto", "pgvector", "files"))

# --- REST API ---------------------------------------------------------------------------------------------------------
REST_FRAMEWORK = rest.framework(env.number("LITMUS_API_RATE", 3000, minimum=1))
SPECTACULAR_SETTINGS = rest.description(version=CODE_VERSION, path=SITE_PATH)

# --- language, time, log ---------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "languages"]
LANGUAGE_COOKIE_NAME = "litmus_language"
TIME_ZONE = env.time_zone("LITMUS_TIME_ZONE", "UTC")
USE_TZ = True
LOG_LEVEL = env.choice("LITMUS_LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOG_FORMAT = env.choice("LITMUS_LOG_FORMAT", "text", ("text", "json"))
LOGGING = logs.configuration(LOG_LEVEL, LOG_FORMAT)
METRICS_TOKEN = env.secret("LITMUS_METRICS_TOKEN")
