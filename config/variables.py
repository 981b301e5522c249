"""What each environment variable is for: docs/configuration.md is made from this and from settings.py.

Which values are allowed and what holds without one is said by the call in settings.py that reads the variable.
"""

from dataclasses import dataclass

from config.env import Environment

BEFORE = """\
# Configuration

Litmus needs no configuration: without any variable it runs on one machine with an embedded PostgreSQL and Redis.
Every setting is an environment variable. With an invalid value Litmus does not start; a message names the variable.
What is on or off is written `1`, `true`, `yes`, `on` or `0`, `false`, `no`, `off`. An empty value is as good as none.

These tables are made from the code, by `python docs/list_settings.py`.

"""
HEAD = "| variable | meaning |\n|---|---|"
AFTER = """\
## Of others

`OPENBLAS_NUM_THREADS` is NumPy's own: Litmus sets it to 1 unless it is set, because more threads
save no time here and take twice the processor time.

`make` knows `PYTHON` (which Python makes the environment), `PORT` (of `make run`) and `ARGS` (further arguments of
`make run`, `make test`, `make bench`). Tests know `LITMUS_CHROMIUM` (path of a Chromium) and `CI` (browser
tests must not be skipped).

Docker Compose also knows `POSTGRES_PASSWORD`, `LITMUS_FILES`, `LITMUS_HTTP_PORT`, `LITMUS_HTTPS_PORT`, `LITMUS_BACKUPS`
and `LITMUS_BACKUPS_KEPT`; `.env.example` says what they mean.
"""


@dataclass(frozen=True)
class Variable:
    """`default` in words, where it depends on other variables or on the machine: else settings.py says it."""

    name: str
    meaning: str  # Markdown
    default: str = ""


SECTIONS: dict[str, tuple[Variable, ...]] = {
    "Where data are kept": (
        Variable(
            "LITMUS_DATA_DIR",
            "Everything that is kept: embedded databases, uploaded files, secret key, logs. One installation for "
            "each directory",
            default="`.data` in a checkout; else `litmus-data` in the folder where `litmus` is called",
        ),
        Variable(
            "LITMUS_MEDIA_ROOT",
            "Uploaded files and releases; must be shared by web and workers. With `LITMUS_BUCKET_URL` only what is "
            "arriving or being written, on a local disk of each machine",
            default="`media` in the data directory",
        ),
        Variable(
            "LITMUS_BUCKET_URL",
            "Keeps uploaded files, releases and indexes in a bucket of an S3 server: "
            "`https://key:secret@host/bucket/folder?region=eu-central-1`; folder and region may be left out. Without "
            "key and secret, those that boto3 finds are used, such as the role of the machine "
            "([Files in a bucket](operations.md#files-in-a-bucket))",
            default="files are in `LITMUS_MEDIA_ROOT`",
        ),
        Variable(
            "LITMUS_LOCAL_COPIES_MB",
            "Room for copies of files and indexes of the bucket in `LITMUS_INDEX_DIR`; those used longest ago go first",
        ),
        Variable(
            "LITMUS_STATIC_ROOT",
            "Where static files are collected; made again from the code at any time",
            default="`static` in the data directory",
        ),
        Variable(
            "LITMUS_INDEX_DIR",
            "Search indexes of collections, read through memory maps: a local disk of the workers. A cache: what is "
            "lost or stale is built again. About 1.5 kB for each document. Workers build and search the parts of a "
            "large index together where they share it, or with `LITMUS_BUCKET_URL`: then it holds copies of indexes",
            default="`indexes` in the data directory",
        ),
        Variable(
            "LITMUS_INDEX_SHARD",
            "Documents of one part of a search index at most. Fewer need less memory to build; rankings are the "
            "same to the last bit",
        ),
        Variable(
            "DATABASE_URL",
            "Database: `postgres://user:password@host:5432/name?sslmode=require`; `?host=/directory` for a Unix "
            "socket. PostgreSQL 15 or newer, 18 recommended. Characters such as `/`, `@`, `:` in a password are "
            "written as `%2F`, `%40`, `%3A`",
            default="embedded PostgreSQL",
        ),
        Variable(
            "REDIS_URL",
            "`redis://host:6379/0`, `rediss://…` (TLS) or `unix:///socket?db=0`: the queue of background jobs. Use "
            "a Redis that evicts nothing (`maxmemory-policy noeviction`)",
            default="embedded Redis",
        ),
        Variable(
            "LITMUS_CACHE_URL",
            "A cache that may be lost at any moment. Not the database of the queue: clearing the cache empties it",
            default="the next database of `REDIS_URL`",
        ),
    ),
    "Access": (
        Variable(
            "LITMUS_SITE_URL",
            "The address people open: all links that pages, commands and mails show lead there. Required with "
            "`LITMUS_EMAIL_URL`. With `https://`, everything that needs TLS is on; with a path "
            "(`https://example.org/litmus`), Litmus is served [below it](operations.md#addresses)",
            default="the address at which `up` serves, or served last",
        ),
        Variable(
            "LITMUS_ALLOWED_HOSTS",
            "Host names under which Litmus answers",
            default="`localhost,127.0.0.1,[::1]`, that of `LITMUS_SITE_URL`",
        ),
        Variable(
            "LITMUS_TRUSTED_ORIGINS", "Origins whose forms are accepted, with scheme", default="`LITMUS_SITE_URL`"
        ),
        Variable(
            "LITMUS_SIGN_ON_FILE",
            "Identity providers for [single sign-on](operations.md#single-sign-on), in TOML. It holds secrets: let "
            "only Litmus read it",
        ),
        Variable(
            "LITMUS_PASSWORDS_ONLY_FOR",
            "The address of the one account of staff that signs in with a password; all others only through an "
            "identity provider",
        ),
        Variable(
            "LITMUS_HTTPS",
            "Redirect http to https, cookies for TLS only, HSTS",
            default="on if `LITMUS_SITE_URL` is `https://`",
        ),
        Variable(
            "LITMUS_HSTS_SECONDS",
            "How long browsers insist on TLS (with HTTPS only); start with an hour if you may have to go back",
        ),
        Variable(
            "LITMUS_BEHIND_PROXY",
            "Believe `X-Forwarded-Proto` and `X-Forwarded-For`. Only behind exactly one proxy that always sets both",
        ),
        Variable(
            "LITMUS_EMAIL_URL",
            "Mail server: `smtp://`, `smtp+tls://` (STARTTLS) or `smtps://user:password@host:port`",
            default="none: nothing is sent, pages show the links to copy",
        ),
        Variable("LITMUS_EMAIL_FROM", "Sender of mails"),
        Variable(
            "LITMUS_MAIL_RATE",
            "Letters to authors, and daily mails, per minute; 0: as fast as the mail server accepts them",
        ),
        Variable(
            "LITMUS_DIGEST_HOUR",
            "Hour of the day (in `LITMUS_TIME_ZONE`) from which the daily mails are sent, at the rate of "
            "`LITMUS_MAIL_RATE`",
        ),
        Variable("LITMUS_TIME_ZONE", "Time zone of the times on pages"),
    ),
    "Security": (
        Variable(
            "LITMUS_SECRET_KEY",
            "Random characters, the same for all processes. Required with `DATABASE_URL`",
            default="made once, kept in the data directory (0600)",
        ),
        Variable(
            "LITMUS_OLD_SECRET_KEYS", "Former secret keys: links and sessions they signed stay valid after a change"
        ),
        Variable("LITMUS_SESSION_DAYS", "How long a sign-in lasts"),
        Variable("LITMUS_DEBUG", "Error pages with source code and settings. Never where others can reach it"),
    ),
    "Limits": (
        Variable(
            "LITMUS_UPLOAD_LIMIT_MB",
            "Largest upload; larger files go through commands such as `litmus import_documents`",
        ),
        Variable(
            "LITMUS_READING_SECONDS",
            "Processor time that one record of a file, or one paper, may take to read; an import of many records "
            "may go on for hours",
        ),
        Variable("LITMUS_READING_MB", "Memory that the process that reads a file may take"),
        Variable("LITMUS_BODY_LIMIT_MB", "Largest form or API body (held in memory)"),
        Variable("LITMUS_API_RATE", "API requests per person and minute"),
        Variable(
            "LITMUS_COLLECTION_JOBS",
            "Jobs of the queue `heavy` that workers do for one collection at the same time; its other ones wait",
        ),
        Variable(
            "LITMUS_COLLECTION_DOCUMENTS",
            "Documents that one collection may have; an import that would bring more is refused. 0: any number",
        ),
        Variable(
            "LITMUS_COLLECTION_MB",
            "Size of the files that may be imported into one collection. Imports that failed, brought nothing new or "
            "were undone do not count. 0: any size",
        ),
        Variable("LITMUS_JOB_HOURS", "Longest time a background job may take"),
    ),
    "Registries of publications": (
        Variable(
            "LITMUS_CROSSREF_URL",
            "Address of Crossref's REST API, such as `https://api.crossref.org`. Incoming papers then ask it for "
            "the DOIs of references that are not in the collection and print no identifier",
            default="none: Crossref is not asked",
        ),
        Variable(
            "LITMUS_OPENALEX_URL",
            "Address of OpenAlex's API, used in the same way, such as `https://api.openalex.org`; where both are "
            "set, both are asked",
            default="none: OpenAlex is not asked",
        ),
        Variable("LITMUS_OPENALEX_KEY", "OpenAlex's key for more requests a day"),
        Variable(
            "LITMUS_REGISTRY_MAILTO",
            "An e-mail address at which both can ask about your requests; they answer faster if it is given",
        ),
    ),
    "Language models": (
        Variable(
            "LITMUS_LLM_BASE_URL",
            "Any OpenAI-compatible chat endpoint, such as `https://api.example.org/v1`; without it and a model, no "
            "model is asked",
        ),
        Variable("LITMUS_LLM_API_KEY", "The key; most local servers need none"),
        Variable("LITMUS_LLM_MODEL", "The name of the model"),
        Variable("LITMUS_LLM_TIMEOUT", "Seconds to wait for a byte before a question is tried again"),
        Variable(
            "LITMUS_LLM_MAX_TOKENS", "Longest answer; `0` leaves it to the endpoint (some models take no such limit)"
        ),
        Variable("LITMUS_LLM_CONCURRENCY", "Questions asked at the same time, in each job"),
        Variable("LITMUS_LLM_RATE", "Requests per minute of each job, retries included; `0`: no limit"),
        Variable(
            "LITMUS_LLM_ATTEMPTS",
            "Tries for each question after time-outs, 429, 5xx and broken connections, with growing pauses",
        ),
        Variable(
            "LITMUS_LLM_PRICE_IN",
            "Price of a million tokens sent; with both prices, pages show costs next to tokens",
            default="not known",
        ),
        Variable("LITMUS_LLM_PRICE_OUT", "Price of a million tokens received", default="not known"),
        Variable("LITMUS_LLM_CURRENCY", "Currency of the prices"),
        Variable(
            "LITMUS_EMBEDDINGS_BASE_URL",
            "Any OpenAI-compatible endpoint that makes embeddings; without it and a model, pools are built without "
            "vectors",
        ),
        Variable("LITMUS_EMBEDDINGS_API_KEY", "Its key"),
        Variable(
            "LITMUS_EMBEDDINGS_MODEL",
            "The name of its model. Time-out, concurrency and tries are those of language models above",
        ),
        Variable("LITMUS_EMBEDDINGS_BATCH", "Texts in one request"),
        Variable("LITMUS_EMBEDDINGS_RATE", "Requests per minute of each job, retries included; `0`: no limit"),
        Variable(
            "LITMUS_INNER_ADDRESSES",
            "Addresses inside your own network that model endpoints and webhooks typed on pages may lead to; all others"
            " there are refused. Addresses in variables, which only the operator sets, lead anywhere",
        ),
        Variable(
            "LITMUS_VECTOR_STORE",
            "Where vectors of documents are kept: `pgvector` in the database, `files` in `LITMUS_INDEX_DIR`, or "
            "`auto`: pgvector where the database has it (`CREATE EXTENSION vector`, which needs a superuser; the "
            "embedded PostgreSQL has it, unless its data directory was made by Litmus before 22 November 2026)",
        ),
    ),
    "Size": (
        Variable(
            "LITMUS_WEB_PROCESSES",
            "Processes of the web server (`up --workers`)",
            default="number of usable cores, at most 4",
        ),
        Variable("LITMUS_WEB_THREADS", "Threads of each web process"),
        Variable(
            "LITMUS_WEB_NOTICE_SECONDS",
            "Seconds for which a web server that is asked to end still answers, while `/readyz` says 503: as long as "
            "a balancer needs to notice",
        ),
        Variable("LITMUS_WEB_TIMEOUT", "Seconds after which a web process that answers nothing is replaced"),
        Variable(
            "LITMUS_QUEUES",
            "Queues of background jobs that a worker serves ([Workers](operations.md#workers))",
        ),
        Variable(
            "LITMUS_DRAIN_SECONDS",
            "Seconds that requests, and steps of jobs, may go on once their process is asked to end "
            "([Taking one away](operations.md#taking-one-away)); then jobs are given back",
        ),
        Variable(
            "LITMUS_WORKER_PROCESSES",
            "Background jobs that a worker does at the same time; `up` has half as many processes more for the queue "
            "`quick`",
            default="number of usable cores, at most 2",
        ),
        Variable(
            "LITMUS_DB_POOL",
            "Database connections of each process, at least `LITMUS_WEB_THREADS`. PostgreSQL must allow (web "
            "processes + worker processes) times this; the embedded one allows 100",
        ),
        Variable(
            "LITMUS_TRANSACTION_POOLER",
            "`DATABASE_URL` leads through a connection pooler in transaction mode, such as PgBouncer; see "
            "[operations](operations.md#behind-pgbouncer)",
        ),
        Variable(
            "LITMUS_PREPARED_STATEMENTS",
            "Prepare the statements of the labelling path. On behind a PgBouncer of 1.21 or newer with "
            "`max_prepared_statements`",
            default="on; off with `LITMUS_TRANSACTION_POOLER`",
        ),
    ),
    "Log": (
        Variable("LITMUS_LOG_LEVEL", "The log goes to standard error", default="`INFO` (`WARNING` under `up`)"),
        Variable(
            "LITMUS_LOG_FORMAT",
            "`json`: one object a line, with the request (`request_id`, also in the answer as `X-Request-ID`) or the "
            "job (`job`) during which it was written",
        ),
        Variable("LITMUS_ACCESS_LOG", "A line for each web request"),
        Variable(
            "LITMUS_METRICS_TOKEN",
            "Figures of operation for Prometheus at `/metrics`, for programs that send this token "
            "([Watching](operations.md#watching)). Without it the address does not exist",
        ),
        Variable(
            "LITMUS_VERSION",
            "Stored with every computed figure; set it to a commit to be exact",
            default="the version of the code",
        ),
    ),
}


def as_markdown(env: Environment) -> str:
    """The page; `env` as settings.py leaves it."""
    tables = (
        "\n".join([f"## {title}", "", HEAD, *(_row(each, env) for each in SECTIONS[title])]) for title in SECTIONS
    )
    return BEFORE + "\n\n".join(tables) + "\n\n" + AFTER


def _row(variable: Variable, env: Environment) -> str:
    asked = env.asked[variable.name]
    default = variable.default or asked.default
    return f"| `{variable.name}` | {variable.meaning}. Value: {asked.values}. Default: {default} |"
