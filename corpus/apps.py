from django.apps import AppConfig


class CorpusConfig(AppConfig):
    """Its importers are dotted paths: see accounts/extensions.py."""

    name = "corpus"
    registries = {"formats": "engines.formats.known.FORMATS", "recipes": "corpus.runs.recipes.registry.RECIPES"}
    importers = {
        "documents": "corpus.documents.importer.DOCUMENTS",
        "topics": "corpus.topics.importer.TOPICS",
        "runs": "corpus.runs.importer.RUNS",
        "pool": "corpus.pools.importer.POOL",
        "mentions": "corpus.questions.importer.MENTIONS",
    }
    sign_on_grounds = {"invitations": "corpus.collections.sign_on.is_invited"}
    sign_ons = {"groups": "corpus.collections.sign_on.follow_groups"}
    tabs = {"corpus": "corpus.tabs.TABS"}
    palette = {"corpus": "corpus.palette.FINDERS"}
    profile_cards = {"corpus": "corpus.cards.profile_cards"}
    home_cards = {"corpus": "corpus.cards.home_cards"}
    digest_lines = {"corpus": "corpus.digest.lines"}
    job_ends = {"webhooks": "corpus.webhooks.events.announce_end"}
    jobs = {
        "imports": "corpus.imports.jobs.ImportJob",
        "indexing": "corpus.documents.jobs.IndexingJob",
        "runs": "corpus.runs.jobs.RunMakingJob",
        "pools": "corpus.pools.jobs.PoolJob",
        "questions": "corpus.questions.jobs.QuestionJob",
        "mailings": "corpus.questions.jobs.MailingJob",
        "deletions": "corpus.collections.jobs.RemovalJob",
        "erasures": "corpus.collections.jobs.ErasureJob",
    }
