from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    """Its import kinds, figures and so on are dotted paths: see accounts/extensions.py."""

    name = "annotation"
    jobs = {
        "items": "annotation.runs.items.ItemBuildJob",
        "assignments": "annotation.runs.assignments.AssignmentJob",
        "machines": "annotation.runs.machines.MachineJob",
    }
    # Read before the transaction begins, because that is slow or asks others; may be cancelled, writes nothing.
    import_readings = {"papers": "annotation.runs.papers.papers_read"}
    import_works = {"judgments": "annotation.runs.imports.load_judgments"}
    import_ways = {"judgments": "annotation.views.imports.way_on"}  # links after an import
    collection_figures = {
        "contexts": "annotation.queries.contexts.context_figures",
        "citing_paragraphs": "annotation.queries.contexts.citing_figures",
    }
    farewells = {"campaigns": "annotation.actions.annotators.take_off_everywhere"}
    hindrances = {"campaigns": "annotation.queries.campaigns.open_campaigns_hinder"}
    label_guards = {"campaigns": "annotation.permissions.labels.labels_hidden_in"}
    label_verbs = {"annotation": "annotation.permissions.labels.LABEL_VERBS"}
    import_undoings = {
        "judgments": "annotation.runs.undoing.UNDO_JUDGMENTS",
        "papers": "annotation.runs.undoing.UNDO_PAPERS",
    }
    person_guards = {"annotation": "annotation.permissions.labels.check_can_read_answers_of"}
    person_reports = {"annotation": "annotation.runs.persons.report_of"}
    erasures = {"1-annotation": "annotation.runs.persons.erase"}
