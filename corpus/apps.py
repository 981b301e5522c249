from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "corpus"
    jobs = {
        "imports": "corpus.runs.imports.ImportJob",
        "pools": "corpus.runs.pools.PoolJob",
        "questions": "corpus.runs.generation.QuestionJob",
        "mailings": "corpus.runs.author_mails.MailingJob",
        "deletions": "corpus.runs.removals.RemovalJob",
    }
