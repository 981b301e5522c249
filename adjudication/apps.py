from django.apps import AppConfig


class AdjudicationConfig(AppConfig):
    name = "adjudication"
    jobs = {
        "agreement": "adjudication.runs.agreement.AgreementJob",
        "votes": "adjudication.runs.votes.VoteJob",
        "contexts": "adjudication.runs.contexts.ContextCheckJob",
    }
    help_pages = {"statistics": "adjudication.views.statistics_help.LINK"}
    registries = {  # see corpus/plugins.py
        "exporters": "adjudication.exports.registry.EXPORTERS",
        "statistics": "adjudication.stats.statistics.STATISTICS",
        "tie_policies": "adjudication.stats.policies.TIE_POLICIES",
    }
    collection_figures = {"questions": "adjudication.queries.question_statistics.question_figures"}
    label_verbs = {"adjudication": "adjudication.permissions.LABEL_VERBS"}
    standing_on_imports = {"judgments": "adjudication.runs.undoing.standing_on_judgments"}
    erasures = {"0-adjudication": "adjudication.runs.persons.erase"}  # needs the names that annotation replaces
