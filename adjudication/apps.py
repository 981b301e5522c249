from django.apps import AppConfig


class AdjudicationConfig(AppConfig):
    name = "adjudication"
    palette = {"adjudication": "adjudication.palette.FINDERS"}
    tabs = {"adjudication": "adjudication.tabs.TABS"}
    home_cards = {"adjudication": "adjudication.cards.home_cards"}
    digest_lines = {"adjudication": "adjudication.digest.lines"}
    overview_cards = {"adjudication": "adjudication.cards.overview_cards"}
    guide_cards = {"guide": "adjudication.guide.guide.guide_cards"}
    topic_cards = {"adjudication": "adjudication.cards.topic_cards"}
    reply_cards = {"adjudication": "adjudication.cards.reply_cards"}
    help_cards = {"adjudication": "adjudication.cards.help_cards"}
    jobs = {
        "agreement": "adjudication.agreement.jobs.AgreementJob",
        "votes": "adjudication.verdicts.jobs.VoteJob",
        "acceptances": "adjudication.verdicts.jobs.AcceptanceJob",
        "work": "adjudication.following.jobs.WorkJob",
        "evaluations": "adjudication.evaluation.jobs.EvaluationJob",
        "releases": "adjudication.releases.jobs.ReleaseJob",
    }
    job_ends = {"releases": "adjudication.releases.releases.announce_frozen"}
    importers = {"qrels": "adjudication.evaluation.importer.QRELS"}
    backup_files = {"releases": "adjudication.releases.archive.stored_files"}
    stored_folders = {"releases": "adjudication.releases.archive.stored_folders"}
    deletion_guards = {"releases": "adjudication.releases.rules.standing_release"}
    registries = {  # see engines/plugins.py
        "exporters": "adjudication.exporting.registry.EXPORTERS",
        "evaluation_presets": "adjudication.evaluation.presets.registry.PRESETS",
        "golds": "adjudication.evaluation.golds.registry.GOLDS",
        "statistics": "engines.stats.statistics.STATISTICS",
        "tie_policies": "engines.stats.policies.TIE_POLICIES",
    }
    procedures = {
        "votes": "adjudication.procedures.votes.VOTES",
        "papers": "adjudication.procedures.papers.PAPERS",
    }
    topic_sets = {"question-set": "adjudication.questions.question_set.QUESTION_TOPICS"}
    topic_parts = {"splits": "adjudication.splits.splits.PARTS_OF_SPLITS"}
    collection_figures = {"questions": "adjudication.questions.question_statistics.question_figures"}
    label_verbs = {"adjudication": "adjudication.labels.rules.LABEL_VERBS"}
    standing_on_imports = {"judgments": "adjudication.verdicts.undoing.standing_on_judgments"}
    queue_fronts = {"audits": "adjudication.machine_audits.reading.drawn_items"}
    pseudonyms = {"agreement": "adjudication.verdicts.persons.rename"}
