"""Which pages of results lead to why a judged pair has its value, and which show no such value."""

# Pages of results that lead to why each judged pair has its value, also where there is nothing to list.
EXPLAINED = {
    "agreement_detail",
    "agreement_report",
    "cycle_decide",
    "cycle_detail",
    "evaluation_detail",
    "evaluation_matrix",
    "evaluation_run",
    "evaluation_topic",
    "evaluation_topics",
    "export_list",
    "pool_detail",
    "question_set",
    "release_list",
    "relevance_detail",
    "relevance_list",
    "topic_detail",
}
# Those that lead there from each pair they list: tests/adjudication/releases/test_explanations.py.
EXPLAINED_BY_ROW = {"acceptance", "adjudication_screen", "disagreement_list", "judgment_list", "machine_label_list"}
# The other pages of the app show no value of a judged pair.
WITHOUT_JUDGED_PAIRS = {
    "context_report": "papers and their contexts",
    "cycle_list": "names and states",
    "evaluation_create": "a form",
    "evaluation_judging": "a form about documents that nobody has judged",
    "evaluation_list": "names and states",
    "extraction_agreement": "papers",
    "line_detail": "the explanation itself",
    "release_create": "a check list",
    "sample_size": "a plan",
    "search_sheet": "a form",
    "split_create": "a form",
    "known_answers_draw": "a form",
    "machine_audit_detail": "shares and counts",
    "machine_audit_draw": "a form",
    "machine_audit_list": "names and sizes",
    "pay_rate_set": "a form",
    "cost_detail": "hours and money",
    "split_detail": "topics",
    "split_list": "names and sizes",
    "statement_edit": "a form",
    "statistics_help": "words",
    "unparsed_answer_list": "answers without a value",
    "work_detail": "hours and counts of people",
}
