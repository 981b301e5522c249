from django.apps import AppConfig


class CorpusConfig(AppConfig):
    """Its importers are dotted paths: see accounts/extensions.py."""

    name = "corpus"
    registries = {"formats": "corpus.formats.known.FORMATS"}
    importers = {
        "documents": "corpus.imports.documents.DOCUMENTS",
        "topics": "corpus.imports.topics.TOPICS",
        "runs": "corpus.imports.runs.RUNS",
        "pool": "corpus.imports.pool.POOL",
        "mentions": "corpus.imports.mentions.MENTIONS",
    }
    tabs = {"corpus": "corpus.tabs.TABS"}
    profile_cards = {"corpus": "corpus.cards.profile_cards"}
    home_cards = {"corpus": "corpus.cards.home_cards"}
    jobs = {
        "imports": "corpus.runs.imports.ImportJob",
        "pools": "corpus.runs.pools.PoolJob",
        "questions": "corpus.runs.generation.QuestionJob",
        "mailings": "corpus.runs.author_mails.MailingJob",
        "deletions": "corpus.runs.removals.RemovalJob",
    }
