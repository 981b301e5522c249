from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    """Its importers, figures and so on are dotted paths: see accounts/extensions.py."""

    name = "annotation"
    tabs = {"annotation": "annotation.tabs.TABS"}
    home_cards = {"annotation": "annotation.cards.home_cards"}
    overview_cards = {"annotation": "annotation.cards.overview_cards"}
    jobs = {
        "items": "annotation.runs.items.ItemBuildJob",
        "assignments": "annotation.runs.assignments.AssignmentJob",
        "machines": "annotation.runs.machines.MachineJob",
    }
    # One line a kind, in the order of the migrations' constraint on `Campaign.kind`: see annotation/kind.py.
    campaign_kinds = {
        "rubric": "annotation.kinds.rubric.kind.RUBRIC",
        "relevance": "annotation.kinds.relevance.kind.RELEVANCE",
        "extraction": "annotation.kinds.extraction.kind.EXTRACTION",
    }
    importers = {"papers": "annotation.imports.papers.PAPERS", "judgments": "annotation.imports.judgments.JUDGMENTS"}
    collection_figures = {
        "contexts": "annotation.queries.contexts.context_figures",
        "citing_paragraphs": "annotation.queries.contexts.citing_figures",
    }
    farewells = {"campaigns": "annotation.actions.annotators.take_off_everywhere"}
    hindrances = {"campaigns": "annotation.queries.campaigns.open_campaigns_hinder"}
    label_guards = {"campaigns": "annotation.permissions.labels.labels_hidden_in"}
    label_verbs = {"annotation": "annotation.permissions.labels.LABEL_VERBS"}
    person_guards = {"annotation": "annotation.permissions.labels.check_can_read_answers_of"}
    person_reports = {"annotation": "annotation.runs.persons.report_of"}
    erasures = {"1-annotation": "annotation.runs.persons.erase"}
