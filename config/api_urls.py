"""Addresses of the REST API: each app's endpoints, the description of them all, and a page to try them."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from accounts.api_schema import RENDERERS, DescriptionGenerator
from adjudication.agreement import api as results
from adjudication.cycles import api as cycles
from adjudication.evaluation import api as evaluation
from adjudication.exports import api as exports
from adjudication.following import api as following
from adjudication.machine_audits import api as machine_audits
from adjudication.papers import api as papers
from adjudication.questions import api as question_set
from adjudication.releases import api as releases
from adjudication.splits import api as splits
from adjudication.verdicts import api as relevance
from annotation.assignment import api as annotators
from annotation.campaigns.api import campaigns, templates
from annotation.consent import api as consent
from annotation.gold import api as gold
from annotation.imports import api as judgment_imports
from annotation.inquiries import api as inquiries
from annotation.labelling.api import judging, judgments
from annotation.machines.api import prompts, trials
from annotation.machines.api import runs as machines
from annotation.rubric import api as rewrites
from corpus.collections.api import collections, invitations, jobs, persons
from corpus.documents import api as documents
from corpus.endpoints import api as endpoints
from corpus.imports import api as imports
from corpus.pools import api as pools
from corpus.questions.api import author_calls, question_runs
from corpus.runs import api as runs
from corpus.topics import api as topics
from corpus.webhooks import api as webhooks

C = "collections/<slug:slug>/"
K = f"{C}campaigns/<slug:campaign>/"

urlpatterns = [
    path(
        "schema/",
        SpectacularAPIView.as_view(generator_class=DescriptionGenerator, renderer_classes=RENDERERS),
        name="api_schema",
    ),
    path(
        "docs/",
        SpectacularSwaggerSplitView.as_view(url_name="api_schema", template_name="api_docs.html"),
        name="api_docs",
    ),
    path("me/data/", persons.OwnData.as_view(), name="api_own_data"),
    path("me/erasure-request/", persons.OwnErasureRequest.as_view(), name="api_own_erasure"),
    path("jobs/<slug:kind>/<int:pk>/", jobs.JobDetail.as_view(), name="api_job"),
    path("people/", persons.PersonList.as_view(), name="api_people"),
    path("people/<int:pk>/data/", persons.PersonData.as_view(), name="api_person_data"),
    path("people/<int:pk>/erasure/", persons.PersonErasureView.as_view(), name="api_person_erasure"),
    path("model-endpoints/", endpoints.EndpointList.as_view(), name="api_endpoints"),
    path("model-endpoints/<slug:name>/", endpoints.EndpointDetail.as_view(), name="api_endpoint"),
    path("model-endpoints/<slug:name>/test/", endpoints.EndpointTest.as_view(), name="api_endpoint_test"),
    path("campaign-templates/", templates.CampaignTemplates.as_view(), name="api_campaign_templates"),
    path("collections/", collections.CollectionList.as_view(), name="api_collections"),
    path(C, collections.CollectionDetail.as_view(), name="api_collection"),
    path(f"{C}archive/", collections.CollectionArchive.as_view(), name="api_collection_archive"),
    path(f"{C}backup/", collections.CollectionBackup.as_view(), name="api_collection_backup"),
    path(f"{C}invitations/", invitations.Invitations.as_view(), name="api_invitations"),
    path(f"{C}invitations/<int:pk>/", invitations.InvitationDetail.as_view(), name="api_invitation"),
    path(f"{C}consent/", consent.ConsentTextView.as_view(), name="api_consent_text"),
    path(f"{C}consent/mine/", consent.ConsentView.as_view(), name="api_consent"),
    path(f"{C}documents/", documents.DocumentList.as_view(), name="api_documents"),
    path(f"{C}documents/<path:docno>/", documents.DocumentDetail.as_view(), name="api_document"),
    path(f"{C}topics/", topics.TopicList.as_view(), name="api_topics"),
    path(f"{C}topics/<str:number>/", topics.TopicDetail.as_view(), name="api_topic"),
    path(f"{C}topics/<str:number>/pool/", pools.TopicPoolView.as_view(), name="api_pool"),
    path(f"{C}topics/<str:number>/versions/", topics.TopicVersions.as_view(), name="api_topic_versions"),
    path(f"{C}topics/<str:number>/reviews/", topics.TopicReviews.as_view(), name="api_topic_reviews"),
    path(f"{C}runs/", runs.RunList.as_view(), name="api_runs"),
    path(f"{C}runs/<int:pk>/", runs.RunDetail.as_view(), name="api_run"),
    path(f"{C}runs/<int:pk>/file/", runs.RunFileView.as_view(), name="api_run_file"),
    path(f"{C}run-makings/", runs.RunMakings.as_view(), name="api_run_makings"),
    path(f"{C}run-makings/<int:pk>/", runs.RunMakingDetail.as_view(), name="api_run_making"),
    path(f"{C}sub-queries/", topics.SubQueryList.as_view(), name="api_sub_queries"),
    path(f"{C}pools/report/", pools.PoolReportView.as_view(), name="api_pool_report"),
    path(f"{C}pools/", pools.PoolBuilds.as_view(), name="api_pool_builds"),
    path(f"{C}pools/<int:pk>/", pools.PoolBuildDetail.as_view(), name="api_pool_build"),
    path(f"{C}imports/", imports.ImportList.as_view(), name="api_imports"),
    path(f"{C}imports/<int:pk>/", imports.ImportDetail.as_view(), name="api_import"),
    path(f"{C}imports/<int:pk>/undoing/", imports.ImportUndoing.as_view(), name="api_import_undoing"),
    path(f"{C}campaigns/", campaigns.CampaignList.as_view(), name="api_campaigns"),
    path(K, campaigns.CampaignDetail.as_view(), name="api_campaign"),
    path(f"{K}items/", campaigns.ItemBuilds.as_view(), name="api_items"),
    path(f"{K}calibration/", campaigns.CalibrationDetail.as_view(), name="api_calibration"),
    path(f"{K}plans/", annotators.Plans.as_view(), name="api_plans"),
    path(f"{K}rejudging/", annotators.RejudgingView.as_view(), name="api_rejudging"),
    path(f"{K}queue-order/", annotators.QueueOrderView.as_view(), name="api_queue_order"),
    path(f"{K}annotators/", annotators.AnnotatorList.as_view(), name="api_annotators"),
    path(f"{K}annotators/<int:pk>/", annotators.AnnotatorDetail.as_view(), name="api_annotator"),
    path(f"{K}assignments/", judgments.AssignmentList.as_view(), name="api_assignments"),
    path(f"{K}next/", judging.NextItems.as_view(), name="api_next"),
    path(f"{K}submissions/", judging.Submissions.as_view(), name="api_submissions"),
    path(f"{K}inquiries/", inquiries.InquiryList.as_view(), name="api_inquiries"),
    path(f"{K}inquiries/mine/", inquiries.OwnInquiries.as_view(), name="api_own_inquiries"),
    path(f"{K}inquiries/<int:pk>/answer/", inquiries.InquiryAnswer.as_view(), name="api_inquiry_answer"),
    path(f"{K}known-answers/", gold.KnownAnswerList.as_view(), name="api_known_answers"),
    path(f"{K}known-answers/<int:pk>/", gold.KnownAnswerDetail.as_view(), name="api_known_answer"),
    path(f"{K}known-answers/imports/", gold.KnownAnswerImportList.as_view(), name="api_known_answer_imports"),
    path(f"{K}purpose/", gold.PurposeView.as_view(), name="api_purpose"),
    path(f"{K}gold/", gold.GoldView.as_view(), name="api_gold"),
    path(f"{K}imports/", judgment_imports.JudgmentImportList.as_view(), name="api_judgment_imports"),
    path(f"{K}judgments/", judgments.JudgmentList.as_view(), name="api_judgments"),
    path(f"{K}machine-runs/", machines.MachineRunList.as_view(), name="api_machine_runs"),
    path(f"{K}committees/", machines.CommitteeList.as_view(), name="api_committees"),
    path(f"{K}machine-runs/<int:pk>/", machines.MachineRunDetail.as_view(), name="api_machine_run"),
    path(f"{K}machine-runs/<int:pk>/replies/", machines.MachineReplyList.as_view(), name="api_machine_replies"),
    path(f"{K}prompt-trials/", trials.TrialList.as_view(), name="api_prompt_trials"),
    path(f"{K}prompt-trials/<int:pk>/", trials.TrialDetail.as_view(), name="api_prompt_trial"),
    path(f"{K}prompt-preview/", prompts.PromptPreview.as_view(), name="api_prompt_preview"),
    path(f"{C}prompts/", prompts.PromptList.as_view(), name="api_prompts"),
    path(f"{C}prompts/<int:pk>/", prompts.PromptDetail.as_view(), name="api_prompt"),
    path(f"{K}agreement/", results.AgreementView.as_view(), name="api_agreement"),
    path(f"{K}votes/", results.VoteList.as_view(), name="api_votes"),
    path(f"{K}relevance/", relevance.RelevanceList.as_view(), name="api_relevance"),
    path(f"{K}relevance/<str:number>/", relevance.RelevanceDetail.as_view(), name="api_topic_relevance"),
    path(f"{K}known-answers/drawings/", relevance.KnownAnswerDrawing.as_view(), name="api_known_answer_drawings"),
    path(f"{K}machine-labels/", relevance.MachineLabels.as_view(), name="api_machine_labels"),
    path(f"{K}machine-labels/undoing/", relevance.CorrectionUndoing.as_view(), name="api_correction_undoing"),
    path(f"{K}verdicts/", results.VerdictList.as_view(), name="api_verdicts"),
    path(f"{K}rewrites/", rewrites.RewriteList.as_view(), name="api_rewrites"),
    path(f"{K}rewrites/<int:pk>/decision/", rewrites.RewriteDecisionView.as_view(), name="api_rewrite_decision"),
    path(f"{K}rewrite-reviews/", rewrites.RewriteReviews.as_view(), name="api_rewrite_reviews"),
    path(f"{K}papers/", papers.PaperQueue.as_view(), name="api_paper_queue"),
    path(f"{K}papers/majorities/", papers.PaperMajorities.as_view(), name="api_paper_majorities"),
    path(f"{K}papers/<int:pk>/", papers.PaperDetail.as_view(), name="api_paper_case"),
    path(f"{K}papers/<int:pk>/opening/", papers.PaperOpening.as_view(), name="api_paper_opening"),
    path(f"{K}papers/<int:pk>/choice/", papers.PaperChoice.as_view(), name="api_paper_choice"),
    path(f"{K}papers/<int:pk>/step/", papers.PaperStep.as_view(), name="api_paper_step"),
    path(f"{K}papers/<int:pk>/content/", papers.PaperContent.as_view(), name="api_paper_content"),
    path(f"{K}papers/<int:pk>/acceptance/", papers.PaperAcceptance.as_view(), name="api_paper_acceptance"),
    path(f"{K}papers/<int:pk>/sending-back/", papers.PaperSentBack.as_view(), name="api_paper_sending_back"),
    path(f"{C}question-runs/", question_runs.QuestionRunList.as_view(), name="api_question_runs"),
    path(f"{C}question-runs/<int:pk>/", question_runs.QuestionRunDetail.as_view(), name="api_question_run"),
    path(
        f"{C}question-runs/<int:pk>/continuation/",
        question_runs.QuestionRunContinuation.as_view(),
        name="api_question_run_continuation",
    ),
    path(f"{C}author-calls/", author_calls.CallList.as_view(), name="api_author_calls"),
    path(f"{C}author-calls/<int:pk>/", author_calls.CallDetail.as_view(), name="api_author_call"),
    path(f"{C}author-calls/<int:pk>/authors/", author_calls.AuthorList.as_view(), name="api_authors"),
    path(f"{C}author-calls/<int:pk>/authors/file/", author_calls.AuthorsFile.as_view(), name="api_authors_file"),
    path(
        f"{C}author-calls/<int:pk>/authors/<int:author>/revocation/",
        author_calls.AuthorRevocation.as_view(),
        name="api_author_revocation",
    ),
    path(f"{C}author-calls/<int:pk>/mailings/", author_calls.MailingList.as_view(), name="api_author_mailings"),
    path(f"{C}author-calls/<int:pk>/topics/", author_calls.QuestionsTakenIn.as_view(), name="api_author_topics"),
    path(f"{K}quality/", following.QualityView.as_view(), name="api_quality"),
    path(f"{K}machine-audits/", machine_audits.MachineAuditList.as_view(), name="api_machine_audits"),
    path(f"{K}machine-audits/<int:pk>/", machine_audits.MachineAuditDetail.as_view(), name="api_machine_audit"),
    path(f"{K}costs/", following.CostView.as_view(), name="api_costs"),
    path(f"{K}pay/", following.PayView.as_view(), name="api_pay"),
    path(f"{C}anno-gpt/", cycles.CycleList.as_view(), name="api_cycles"),
    path(f"{C}anno-gpt/<int:number>/", cycles.CycleDetail.as_view(), name="api_cycle"),
    path(f"{C}anno-gpt/<int:number>/test-set/", cycles.CycleTestSet.as_view(), name="api_cycle_test_set"),
    path(f"{C}anno-gpt/<int:number>/freezing/", cycles.CycleFreezing.as_view(), name="api_cycle_freezing"),
    path(f"{C}anno-gpt/<int:number>/runs/", cycles.CycleRuns.as_view(), name="api_cycle_runs"),
    path(f"{C}anno-gpt/<int:number>/test/", cycles.CycleTest.as_view(), name="api_cycle_test"),
    path(f"{C}anno-gpt/<int:number>/decision/", cycles.CycleDecision.as_view(), name="api_cycle_decision"),
    path(f"{C}question-set/", question_set.QuestionSetFigures.as_view(), name="api_question_set"),
    path(f"{C}splits/", splits.SplitList.as_view(), name="api_splits"),
    path(f"{C}splits/<slug:name>/", splits.SplitDetail.as_view(), name="api_split"),
    path(f"{C}evaluations/", evaluation.EvaluationList.as_view(), name="api_evaluations"),
    path(f"{C}evaluations/<int:pk>/", evaluation.EvaluationDetail.as_view(), name="api_evaluation"),
    path(f"{C}evaluations/<int:pk>/judging/", evaluation.EvaluationJudging.as_view(), name="api_evaluation_judging"),
    path(f"{C}search-sheet/", evaluation.EmptySheet.as_view(), name="api_search_sheet"),
    path(f"{C}search-sheet/filled/", evaluation.FilledSheetView.as_view(), name="api_filled_sheet"),
    path(f"{C}context-topics/", papers.ContextTopicsView.as_view(), name="api_context_topics"),
    path(f"{C}exports/", exports.ExportList.as_view(), name="api_exports"),
    path(f"{C}exports/<slug:name>/", exports.ExportFile.as_view(), name="api_export"),
    path(f"{C}webhooks/", webhooks.WebhookList.as_view(), name="api_webhooks"),
    path(f"{C}webhooks/<int:pk>/", webhooks.WebhookDetail.as_view(), name="api_webhook"),
    path(f"{C}webhooks/<int:pk>/ping/", webhooks.WebhookPing.as_view(), name="api_webhook_ping"),
    path(f"{C}webhooks/<int:pk>/secret/", webhooks.WebhookSecret.as_view(), name="api_webhook_secret"),
    path(f"{C}webhooks/<int:pk>/deliveries/", webhooks.DeliveryList.as_view(), name="api_webhook_deliveries"),
    path(
        f"{C}webhook-deliveries/<int:pk>/redelivery/",
        webhooks.DeliveryRedelivery.as_view(),
        name="api_webhook_redelivery",
    ),
    path(f"{C}releases/", releases.ReleaseList.as_view(), name="api_releases"),
    path(f"{C}releases/<str:name>/", releases.ReleaseDetail.as_view(), name="api_release"),
    path(f"{C}releases/<str:name>/archive/", releases.ReleaseArchive.as_view(), name="api_release_archive"),
    path(f"{C}releases/<str:name>/files/<path:path>", releases.ReleaseFile.as_view(), name="api_release_file"),
    path(f"{C}lines/", releases.LineDetail.as_view(), name="api_line"),
]
