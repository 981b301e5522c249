"""Addresses of the annotation app."""

from typing import Any

from django.urls import URLPattern, URLResolver, path

from accounts.api import rest_addresses
from annotation.assignment import api as assignment_api
from annotation.assignment import pages as assignment
from annotation.assignment.operations import (
    ASSIGN_ITEMS,
    ORDER_QUEUE,
    REQUEST_REJUDGING,
    UPDATE_ANNOTATOR,
    WITHDRAW_REJUDGING,
)
from annotation.campaigns.api import campaigns as campaigns_api
from annotation.campaigns.api import templates as templates_api
from annotation.campaigns.api.base import InCampaignView
from annotation.campaigns.operations import CLOSE_CAMPAIGN, DELETE_CAMPAIGN, OPEN_CAMPAIGN, SET_CALIBRATION
from annotation.campaigns.pages import campaigns, criteria, guidelines, help_pages, items
from annotation.consent import api as consent_api
from annotation.consent import pages as consent
from annotation.consent.operations import GIVE_CONSENT, SET_CONSENT, WITHDRAW_CONSENT
from annotation.gold import api as gold_api
from annotation.gold import pages as gold
from annotation.gold.operations import IMPORT_KNOWN_ANSWERS, REMOVE_KNOWN_ANSWER, SET_KNOWN_ANSWER, SET_PURPOSE
from annotation.imports import api as imports_api
from annotation.imports.operations import IMPORT_JUDGMENTS
from annotation.inquiries import api as inquiries_api
from annotation.inquiries import pages as inquiries
from annotation.labelling.api import judging as judging_api
from annotation.labelling.api import judgments as judgments_api
from annotation.labelling.pages import asking, labelling, labelling_data
from annotation.machines import pages as machines
from annotation.machines.api import prompts as prompts_api
from annotation.machines.api import runs as runs_api
from annotation.machines.api import trials as trials_api
from annotation.machines.operations import REQUEST_COMMITTEE
from annotation.papers.pages import extraction_screen, extractions, papers
from annotation.rubric import api as rubric_api
from annotation.rubric import pages as rubric
from corpus.middleware import takes_archived

API: dict[str, tuple[Any, ...]] = {
    "": (("campaign-templates/", templates_api.CampaignTemplates, "api_campaign_templates"),),
    "collections/<slug:slug>/": (
        ("consent/", consent_api.ConsentTextView, "api_consent_text"),
        ("consent/mine/", consent_api.ConsentView, "api_consent"),
        ("campaigns/", campaigns_api.CampaignList, "api_campaigns"),
        ("prompts/", prompts_api.PromptList, "api_prompts"),
        ("prompts/<int:pk>/", prompts_api.PromptDetail, "api_prompt"),
    ),
    "collections/<slug:slug>/campaigns/<slug:campaign>/": (
        ("", campaigns_api.CampaignDetail, "api_campaign"),
        ("items/", campaigns_api.ItemBuilds, "api_items"),
        ("calibration/", InCampaignView.for_verbs({"post": SET_CALIBRATION}), "api_calibration"),
        ("plans/", InCampaignView.for_verbs({"post": ASSIGN_ITEMS}), "api_plans"),
        ("rejudging/", assignment_api.RejudgingView, "api_rejudging"),
        ("queue-order/", assignment_api.QueueOrderView, "api_queue_order"),
        ("annotators/", assignment_api.AnnotatorList, "api_annotators"),
        ("annotators/<int:pk>/", assignment_api.AnnotatorDetail, "api_annotator"),
        ("assignments/", judgments_api.AssignmentList, "api_assignments"),
        ("next/", judging_api.NextItems, "api_next"),
        ("submissions/", judging_api.Submissions, "api_submissions"),
        ("inquiries/", inquiries_api.InquiryList, "api_inquiries"),
        ("inquiries/mine/", inquiries_api.OwnInquiries, "api_own_inquiries"),
        ("inquiries/<int:pk>/answer/", inquiries_api.InquiryAnswer, "api_inquiry_answer"),
        ("known-answers/", gold_api.KnownAnswerList, "api_known_answers"),
        (
            "known-answers/<int:pk>/",
            InCampaignView.for_verbs({"delete": REMOVE_KNOWN_ANSWER}, page="gold"),
            "api_known_answer",
        ),
        ("known-answers/imports/", gold_api.KnownAnswerImportList, "api_known_answer_imports"),
        ("purpose/", InCampaignView.for_verbs({"put": SET_PURPOSE}, page="gold"), "api_purpose"),
        ("gold/", gold_api.GoldView, "api_gold"),
        ("imports/", imports_api.JudgmentImportList, "api_judgment_imports"),
        ("judgments/", judgments_api.JudgmentList, "api_judgments"),
        ("machine-runs/", runs_api.MachineRunList, "api_machine_runs"),
        ("committees/", InCampaignView.for_verbs({"post": REQUEST_COMMITTEE}, page="machines"), "api_committees"),
        ("machine-runs/<int:pk>/", runs_api.MachineRunDetail, "api_machine_run"),
        ("machine-runs/<int:pk>/replies/", runs_api.MachineReplyList, "api_machine_replies"),
        ("prompt-trials/", trials_api.TrialList, "api_prompt_trials"),
        ("prompt-trials/<int:pk>/", trials_api.TrialDetail, "api_prompt_trial"),
        ("prompt-preview/", prompts_api.PromptPreview, "api_prompt_preview"),
        ("rewrites/", rubric_api.RewriteList, "api_rewrites"),
        ("rewrites/<int:pk>/decision/", rubric_api.RewriteDecisionView, "api_rewrite_decision"),
        ("rewrite-reviews/", rubric_api.RewriteReviews, "api_rewrite_reviews"),
    ),
}

urlpatterns: list[URLPattern | URLResolver] = [
    rest_addresses(API),
    path("help/", help_pages.show_help, name="help"),
    path("help/style/", help_pages.show_style, name="style"),
    path("label-worker.js", labelling_data.label_worker, name="label_worker"),
    path("label/session/", labelling_data.label_session, name="label_session"),
    path("label/preferences/", labelling_data.label_preferences, name="label_preferences"),
    *[
        path(f"c/<slug:slug>/campaigns/<slug:campaign>/label/{address}", view, name=name)
        for address, view, name in (
            ("", labelling.labelling_screen, "labelling_screen"),
            ("submissions/", labelling_data.submission_create, "submission_create"),
            ("next/", labelling_data.label_next, "label_next"),
            ("leaving/", labelling_data.label_leave, "label_leave"),
            ("history/", labelling_data.label_history, "label_history"),
            ("guideline/", labelling_data.label_guideline, "label_guideline"),
            ("search/", rubric.label_search, "label_search"),
            ("questions/", asking.label_questions, "label_questions"),
            ("questions/seen/", asking.label_answers_seen, "label_answers_seen"),
        )
    ],
    path("c/<slug:slug>/consent/", GIVE_CONSENT.page, name="consent_give"),
    path("c/<slug:slug>/consent/withdrawal/", takes_archived(WITHDRAW_CONSENT.page), name="consent_withdraw"),
    path("c/<slug:slug>/consent/people/", consent.consent_detail, name="consent_detail"),
    path("c/<slug:slug>/consent/text/", SET_CONSENT.page, name="consent_edit"),
    path("c/<slug:slug>/papers/", papers.paper_list, name="paper_list"),
    path("c/<slug:slug>/papers/<int:pk>/", papers.paper_detail, name="paper_detail"),
    path("c/<slug:slug>/papers/<int:pk>/doi/", papers.paper_doi, name="paper_doi"),
    path("c/<slug:slug>/papers/<int:pk>/file/", papers.paper_file, name="paper_file"),
    *[
        path(f"c/<slug:slug>/campaigns/<slug:campaign>/extractions/{address}", view, name=name)
        for address, view, name in (
            ("", extractions.extraction_queue, "extraction_queue"),
            ("<int:pk>/", extractions.extraction_detail, "extraction_detail"),
            ("<int:pk>/revisions/", extractions.extraction_revise, "extraction_revise"),
            ("<int:pk>/step/", extractions.extraction_step, "extraction_step"),
            ("<int:pk>/finish/", extractions.extraction_finish, "extraction_finish"),
            ("<int:pk>/skip/", extractions.extraction_skip, "extraction_skip"),
            ("<int:pk>/xml/", extractions.extraction_download, "extraction_download"),
            ("<int:pk>/state/", extraction_screen.extraction_save, "extraction_save"),
            ("<int:pk>/move/", extraction_screen.extraction_move, "extraction_move"),
            ("<int:pk>/proposal/", extraction_screen.extraction_propose, "extraction_propose"),
            ("<int:pk>/reading/", extraction_screen.extraction_read, "extraction_read"),
            ("<int:pk>/references/", extraction_screen.extraction_search, "extraction_search"),
            ("<int:pk>/pages/<int:page>/", extraction_screen.extraction_page, "extraction_page"),
        )
    ],
    path("c/<slug:slug>/campaigns/", campaigns.campaign_list, name="campaign_list"),
    path("c/<slug:slug>/campaigns/new/", campaigns.campaign_create, name="campaign_create"),
    path("c/<slug:slug>/campaigns/new/cost/", campaigns.campaign_cost, name="campaign_cost"),
    *[
        path(f"c/<slug:slug>/campaigns/<slug:campaign>/{address}", view, name=name)
        for address, view, name in (
            ("", campaigns.campaign_detail, "campaign_detail"),
            ("settings/", campaigns.campaign_edit, "campaign_edit"),
            ("copy/", campaigns.campaign_copy, "campaign_copy"),
            ("opening/", OPEN_CAMPAIGN.page, "campaign_open"),
            ("closure/", CLOSE_CAMPAIGN.page, "campaign_close"),
            ("deletion/", DELETE_CAMPAIGN.page, "campaign_delete"),
            ("levels/", criteria.criteria_edit, "criteria_edit"),
            ("levels/toml/", criteria.criteria_import, "criteria_import"),
            ("guideline/", guidelines.guideline_edit, "guideline_edit"),
            ("guideline/preview/", guidelines.guideline_preview, "guideline_preview"),
            ("guideline/<int:version>/", guidelines.guideline_detail, "guideline_detail"),
            ("rejudging/", REQUEST_REJUDGING.page, "rejudging_request"),
            ("rejudging/withdrawal/", WITHDRAW_REJUDGING.page, "rejudging_withdraw"),
            ("items/", items.item_list, "item_list"),
            ("items/new/", items.item_build, "item_build"),
            ("rewrites/", rubric.rewrite_list, "rewrite_list"),
            ("rewrites/mine/", rubric.review_list, "review_list"),
            ("rewrites/questions/", rubric.rewrite_ask, "rewrite_ask"),
            ("rewrites/<int:pk>/decision/", rubric.rewrite_decide, "rewrite_decide"),
            ("items/removal/", items.item_remove, "item_remove"),
            ("items/calibration/", SET_CALIBRATION.page, "calibration_create"),
            ("annotators/", assignment.annotator_list, "annotator_list"),
            ("inquiries/", inquiries.inquiry_list, "inquiry_list"),
            ("inquiries/<int:pk>/", inquiries.inquiry_detail, "inquiry_detail"),
            ("annotators/members/", assignment.annotator_create, "annotator_create"),
            ("annotators/names/", assignment.annotator_name, "annotator_name"),
            ("annotators/<int:pk>/", UPDATE_ANNOTATOR.page, "annotator_edit"),
            ("annotators/<int:pk>/state/", assignment.annotator_state, "annotator_state"),
            ("annotators/<int:pk>/release/", assignment.annotator_release, "annotator_release"),
            ("annotators/<int:pk>/hand-over/", assignment.annotator_hand_over, "annotator_hand_over"),
            ("imports/new/", IMPORT_JUDGMENTS.page, "judgment_import"),
            ("gold/", gold.gold_detail, "gold_detail"),
            ("gold/answers/new/", SET_KNOWN_ANSWER.page, "known_answer_set"),
            ("gold/answers/<int:pk>/removal/", REMOVE_KNOWN_ANSWER.page, "known_answer_remove"),
            ("gold/imports/new/", IMPORT_KNOWN_ANSWERS.page, "known_answer_import"),
            ("gold/purpose/", SET_PURPOSE.page, "purpose_set"),
            ("machines/", machines.machine_list, "machine_list"),
            ("machines/new/", machines.machine_create, "machine_create"),
            ("machines/committees/new/", REQUEST_COMMITTEE.page, "committee_request"),
            ("machines/<int:pk>/", machines.machine_detail, "machine_detail"),
            ("machines/<int:pk>/continuation/", machines.machine_continue, "machine_continue"),
            ("machines/<int:pk>/replies/<int:reply>/decision/", machines.reply_decide, "reply_decide"),
            ("machines/prompts/new/", machines.prompt_edit, "machine_prompt_edit"),
            ("machines/prompts/preview/", machines.prompt_preview, "machine_prompt_preview"),
            ("machines/prompts/<int:pk>/", machines.prompt_detail, "machine_prompt_detail"),
            ("assignment/", assignment.assignment_plan, "assignment_plan"),
            ("assignment/order/", ORDER_QUEUE.page, "queue_order"),
            ("assignment/<int:pk>/", assignment.assignment_detail, "assignment_detail"),
            ("assignment/<int:pk>/confirmation/", assignment.assignment_confirm, "assignment_confirm"),
        )
    ],
]
