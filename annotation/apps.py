from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    """Its import kinds, figures and so on are dotted paths: see corpus/extensions.py."""

    name = "annotation"
    # Read before the transaction begins, because that is slow or asks others; may be cancelled, writes nothing.
    import_readings = {"papers": "annotation.runs.papers.papers_read"}
    import_works = {"judgments": "annotation.runs.imports.load_judgments"}
    collection_figures = {
        "contexts": "annotation.queries.contexts.context_figures",
        "citing_paragraphs": "annotation.queries.contexts.citing_figures",
    }
    farewells = {"campaigns": "annotation.actions.annotators.take_off_everywhere"}
    hindrances = {"campaigns": "annotation.queries.campaigns.open_campaigns_hinder"}

    def ready(self) -> None:
        from annotation.actions.annotators import take_off_everywhere
        from annotation.queries.campaigns import open_campaigns_hinder
        from annotation.queries.contexts import context_figures
        from annotation.runs.imports import load_judgments
        from annotation.runs.papers import papers_read
        from annotation.runs.undoing import UNDO_JUDGMENTS, UNDO_PAPERS, standing_on_judgments, standing_on_papers
        from corpus.actions.archiving import register_hindrance
        from corpus.actions.people import register_farewell
        from corpus.models import ImportKind
        from corpus.queries import statistics
        from corpus.runs.imports import register, register_reading
        from corpus.runs.undoing import register_standing, register_undoing

        register(ImportKind.JUDGMENTS, load_judgments)
        register_reading(ImportKind.PAPERS, papers_read)
        register_farewell(take_off_everywhere)
        register_undoing(ImportKind.JUDGMENTS, UNDO_JUDGMENTS)
        register_undoing(ImportKind.PAPERS, UNDO_PAPERS)
        register_standing(ImportKind.JUDGMENTS, standing_on_judgments)
        register_standing(ImportKind.PAPERS, standing_on_papers)
        register_hindrance(open_campaigns_hinder)
        statistics.register("contexts", context_figures)
