from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    """Its importers, figures and so on are dotted paths: see accounts/extensions.py."""

    name = "annotation"
    tabs = {"annotation": "annotation.tabs.TABS"}
    palette = {"annotation": "annotation.palette.FINDERS"}
    home_cards = {"annotation": "annotation.cards.home_cards"}
    digest_lines = {"annotation": "annotation.digest.lines"}
    profile_cards = {"annotation": "annotation.cards.profile_cards"}
    overview_cards = {"annotation": "annotation.cards.overview_cards"}
    document_cards = {"annotation": "annotation.cards.document_cards"}
    jobs = {
        "items": "annotation.campaigns.jobs.ItemBuildJob",
        "assignments": "annotation.assignment.jobs.AssignmentJob",
        "queue-orders": "annotation.assignment.jobs.QueueOrderingJob",
        "machines": "annotation.machines.jobs.MachineJob",
        "prompt-trials": "annotation.machines.jobs.TrialJob",
    }
    registries = {"queue_orders": "annotation.assignment.queue_orders.ORDERS"}
    # One line a kind, in the order of the migrations' constraint on `Campaign.kind`: see annotation/kind.py.
    campaign_kinds = {
        "rubric": "annotation.kinds.rubric.kind.RUBRIC",
        "relevance": "annotation.kinds.relevance.kind.RELEVANCE",
        "extraction": "annotation.kinds.extraction.kind.EXTRACTION",
    }
    importers = {
        "papers": "annotation.papers.importer.PAPERS",
        "judgments": "annotation.imports.importer.JUDGMENTS",
        "known-answers": "annotation.gold.importer.KNOWN_ANSWERS",
    }
    collection_figures = {
        "contexts": "annotation.papers.gold.context_figures",
        "citing_paragraphs": "annotation.papers.gold.citing_figures",
    }
    arrivals = {"campaigns": "annotation.assignment.annotators.join_campaigns"}
    revocations = {"campaigns": "annotation.assignment.annotators.give_up_places"}
    farewells = {"campaigns": "annotation.assignment.annotators.remove_from_campaigns"}
    why_cannot_archive = {"campaigns": "annotation.campaigns.campaigns.why_cannot_archive_open_campaigns"}
    label_guards = {"campaigns": "annotation.labelling.rules.labels_hidden_in"}
    label_verbs = {"annotation": "annotation.labelling.rules.LABEL_VERBS"}
    person_guards = {"annotation": "annotation.labelling.rules.check_can_read_answers_of"}
    person_reports = {
        "annotation": "annotation.labelling.persons.report_of",
        "consent": "annotation.consent.persons.report_of",
        "inquiries": "annotation.inquiries.persons.report_of",
    }
    erasures = {"annotation": "annotation.labelling.persons.erase", "consent": "annotation.consent.persons.erase"}
