"""The frame, and the pages of accounts and people, in Chromium: accessible in every way of showing them, and alive."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.audit import record_event
from accounts.models import ErasureRequest, User
from annotation.models import Annotator, Assignment, AssignmentState, Campaign, CampaignState, Item
from corpus.collections.invitation_links import token_for
from corpus.collections.invitations import create_invitation
from corpus.models import Collection, Document, Membership, ModelEndpoint, Role, Topic
from tests.browser.axe import assert_accessible, assert_accessible_everywhere
from tests.corpus.collections.inviting import invite
from tests.factories.accounts import AT, PASSWORD, CollectionFactory, MembershipFactory, UserFactory, one_member_each
from tests.factories.labelling import build_work

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NewPage = Callable[..., Page]


@pytest.fixture
def members() -> dict[Role, Membership]:
    """A collection with a member of each role, invitations, a campaign half judged and a long audit log."""
    collection = CollectionFactory(
        slug="tea", title="Questions on tea and its history", description="What drinkers ask.", licence="CC BY 4.0"
    )
    members = one_member_each(collection)
    manager = members[Role.MANAGER]
    now = timezone.now()
    create_invitation(by=manager.user, at=now, membership=manager, email="new@example.org", role=Role.VIEWER)
    late = now - timedelta(days=60)
    create_invitation(by=manager.user, at=late, membership=manager, email="late@example.org", role=Role.ANNOTATOR)
    for number in range(60):
        record_event(
            by=manager.user, at=now, verb="update_collection", target=collection, scope=collection, number=number
        )
    for slug, done in (("one", 3), ("two", 0), ("three", 5)):
        _campaign(collection, members[Role.ANNOTATOR].user, slug, done)
    return members


def _campaign(collection: Collection, judge: User, slug: str, done: int) -> None:
    campaign = Campaign.objects.create(
        collection=collection,
        slug=slug,
        name=f"Round {slug}",
        kind="relevance",
        state=CampaignState.OPEN,
        seed=1,
        created_at=AT,
    )
    annotator = Annotator.objects.create(campaign=campaign, name="annotator", user=judge, created_at=AT)
    topic, _ = Topic.objects.get_or_create(collection=collection, number="1", defaults={"text": "Why tea?"})
    for number in range(5):
        document, _ = Document.objects.get_or_create(collection=collection, docno=f"D{number}")
        item = Item.objects.create(campaign=campaign, split=campaign.split, topic=topic, document=document)
        state = AssignmentState.DONE if number < done else AssignmentState.PENDING
        Assignment.objects.create(
            item=item, annotator=annotator, state=state, slot=1, finished_at=AT if number < done else None
        )


def test_pages_of_staff_and_about_a_persons_data_are_accessible(new_page: NewPage) -> None:
    person, staff = UserFactory(name="Ana"), UserFactory(is_staff=True)
    ErasureRequest.objects.create(user=person, keep_labels=False, requested_at=AT)
    page = new_page(staff)
    people = ("/people/", "/people/?q=nobody-like-this", f"/people/{person.pk}/", f"/people/{staff.pk}/")
    for address in ("/", reverse("state"), *people):
        assert_accessible_everywhere(page, address)
    assert_accessible_everywhere(new_page(person), reverse("account_profile"))


def test_pages_that_say_that_nothing_is_mailed_are_accessible(
    page: Page, new_page: NewPage, members: dict[Role, Membership], settings
) -> None:
    settings.EMAIL_BACKEND = "accounts.mail.NoServerBackend"
    for name in ("account_reset_password", "account_reset_password_done"):
        assert_accessible_everywhere(page, reverse(name))
    assert_accessible_everywhere(new_page(members[Role.MANAGER].user), "/c/tea/people/")


def test_what_each_role_sees_of_a_collection_is_accessible(new_page: NewPage, members: dict[Role, Membership]) -> None:
    seen = {
        Role.MANAGER: ["/c/tea/people/", "/c/tea/audit/", "/c/tea/audit/?person=nobody", "/no/such/page/"],
        Role.VIEWER: ["/c/tea/people/"],
        Role.ANNOTATOR: ["/", "/c/tea/people/"],  # people: refused, with the reason
    }
    for role, addresses in seen.items():
        page = new_page(members[role].user)
        for address in addresses:
            assert_accessible_everywhere(page, address)


def test_the_page_of_the_first_account_is_accessible_and_whole_on_a_small_laptop(new_page: NewPage) -> None:
    page = new_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto("/")
    expect(page.get_by_role("heading", name="Create the first account")).to_be_visible()
    expect(page.get_by_role("button", name="Create account")).to_be_in_viewport(ratio=1)
    page.get_by_label("Code from the terminal").focus()
    assert_accessible(page)


def test_the_empty_home_is_accessible(new_page: NewPage) -> None:
    for staff in (True, False):
        assert_accessible_everywhere(new_page(UserFactory(is_staff=staff)), "/")


def test_every_face_of_an_invitation_is_accessible(new_page: NewPage, members: dict[Role, Membership]) -> None:
    manager = members[Role.MANAGER]
    make = {"by": manager.user, "at": timezone.now(), "membership": manager, "role": Role.VIEWER}
    addresses = {
        email: reverse(
            "invitation_accept", args=[token_for(create_invitation(email=email, **make).invitation, mailed=how)]
        )
        for email, how in (("fresh@example.org", True), ("known@example.org", True), ("shown@example.org", False))
    }
    known = UserFactory(email="known@example.org")
    stranger, guest = new_page(), new_page(known)
    for address in (*addresses.values(), "/invitations/broken/"):
        stranger.context.clear_cookies()
        assert_accessible_everywhere(stranger, address)
    for email in ("known@example.org", "fresh@example.org"):
        assert_accessible_everywhere(guest, addresses[email])


def test_forms_with_errors_are_accessible(new_page: NewPage) -> None:
    page = new_page(UserFactory(is_staff=True))
    page.goto("/collections/new/")
    page.locator("form.form").evaluate("form => { form.noValidate = true }")
    page.get_by_role("button", name="Create collection").click()
    expect(page.get_by_text("This field is required.").first).to_be_visible()
    described = "As it will be cited, for example “Questions on astrochemistry”. This field is required."
    expect(page.get_by_label("Title")).to_have_accessible_description(described)
    assert_accessible(page)


def test_model_endpoints_are_accessible_and_removed_after_a_question(new_page: NewPage) -> None:
    page = new_page(UserFactory(is_staff=True))
    assert_accessible_everywhere(page, "/model-endpoints/")
    ModelEndpoint.objects.create(name="ours", address="https://llm.example.org/v1", model_names=["wise"])
    for address in ("/model-endpoints/new/", "/model-endpoints/ours/settings/", "/model-endpoints/"):
        assert_accessible_everywhere(page, address)
    page.get_by_role("button", name="Remove ours").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Cancel").click()
    assert ModelEndpoint.objects.exists()
    page.get_by_role("button", name="Remove ours").click()
    page.get_by_role("alertdialog").locator("button[value=yes]").click()
    expect(page.get_by_text("Endpoint ours removed, and its key with it.")).to_be_visible()
    assert not ModelEndpoint.objects.exists()


def test_sign_in_with_the_keyboard_alone(page: Page) -> None:
    UserFactory(email="ada@example.org", name="Ada L.")
    page.goto("/")
    address, password = page.get_by_label("E-mail address"), page.get_by_label("Password")
    expect(address).to_be_focused()
    skip = page.get_by_role("link", name="Skip to the content")
    skip.focus()
    page.evaluate("document.body.style.minHeight = '300vh'; scrollTo(0, 900)")  # as after the last Tab of a long page
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(address).to_be_focused()
    page.keyboard.type("ada@example.org")
    page.keyboard.press("Tab")
    page.keyboard.type("no password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(password).to_be_focused()
    expect(address).to_have_value("ada@example.org")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Welcome, Ada")).to_be_visible()


def test_sign_in_and_out_without_script(new_page: NewPage) -> None:
    UserFactory(email="ada@example.org", name="Ada L.")
    page = new_page(java_script_enabled=False)
    page.goto("/accounts/login/")
    page.get_by_label("E-mail address").fill("ada@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.locator("details.menu > summary").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()


def test_the_theme_changes_at_once_and_stays(new_page: NewPage) -> None:
    user = UserFactory()
    page = new_page(user, color_scheme="light")
    page.goto("/help/")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.locator("details.menu > summary").click()
    assert_accessible(page)
    with page.expect_response("**/accounts/theme/"):
        page.get_by_role("button", name="Dark").click()
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    assert page.evaluate(ground) == dark
    user.refresh_from_db()
    assert user.preferences["theme"] == "dark"


@pytest.mark.usefixtures("somebody")
def test_the_theme_works_without_script(new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    page.goto("/help/?a=1")
    page.locator("summary", has_text="Theme").click()
    page.get_by_role("button", name="Dark").click()
    expect(page).to_have_url("/help/?a=1")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_menu_closes_by_escape_and_by_a_click_elsewhere(new_page: NewPage) -> None:
    page = new_page(UserFactory())
    page.goto("/help/")
    menu = page.locator("details.menu")
    menu.locator("summary").click()
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    expect(menu.locator("summary")).to_be_focused()
    menu.locator("summary").click()
    expect(menu).to_have_attribute("open", "")
    page.get_by_role("heading", name="Help").click()
    expect(menu).not_to_have_attribute("open", "")


def test_a_refused_button_says_why_to_eyes_and_ears(new_page: NewPage, members: dict[Role, Membership]) -> None:
    page = new_page(members[Role.MANAGER].user)
    page.goto("/c/tea/people/")
    page.get_by_role("button", name="Details of Manager").click()
    button = page.get_by_role("button", name="Leave")
    expect(button).to_have_accessible_description("Manager is the only manager. Make someone else a manager first.")
    expect(page.get_by_text("is the only manager").first).to_be_visible()
    expect(page.get_by_role("link", name="Invite a manager").first).to_have_attribute(
        "href", "/c/tea/people/#invite-heading"
    )
    assert_accessible(page)


def test_removing_asks_first(new_page: NewPage, members: dict[Role, Membership]) -> None:
    page = new_page(members[Role.MANAGER].user)
    page.goto("/c/tea/people/")
    native: list[str] = []
    page.on("dialog", lambda dialog: (native.append(dialog.message), dialog.dismiss()))
    page.get_by_role("button", name="Details of Viewer").click()
    page.get_by_role("button", name="Remove Viewer").click()
    dialog = page.get_by_role("alertdialog")
    expect(dialog).to_contain_text("Remove Viewer from Questions on tea")
    assert_accessible(page)
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    assert Membership.objects.filter(pk=members[Role.VIEWER].pk).exists()
    page.get_by_role("button", name="Remove Viewer").click()
    dialog.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("Viewer is no longer in this collection.")).to_be_visible()
    assert not Membership.objects.filter(pk=members[Role.VIEWER].pk).exists()
    assert not native


def test_messages_can_be_dismissed(new_page: NewPage) -> None:
    page = new_page(UserFactory())
    page.goto("/accounts/profile/")
    page.get_by_label("Name").fill("Ada")
    page.get_by_role("button", name="Save").click()
    message = page.locator("#messages .alert")
    expect(message).to_contain_text("Profile saved.")
    assert_accessible(page)
    message.get_by_role("button", name="Dismiss").click()
    expect(message).to_have_count(0)


def test_a_new_key_can_be_copied(new_page: NewPage) -> None:
    page = new_page(UserFactory(), permissions=["clipboard-read", "clipboard-write"])
    page.goto("/accounts/tokens/")
    page.get_by_label("What is it for?").fill("the lab")
    page.get_by_role("button", name="Create token").click()
    key = page.get_by_label("The new key").input_value()
    assert_accessible(page)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == key


@pytest.mark.parametrize("has_clipboard", [True, False])
def test_all_links_are_copied_at_once(new_page: NewPage, has_clipboard: bool) -> None:
    """Also where a page came without TLS from another computer: there browsers have no clipboard for scripts."""
    manager = one_member_each(CollectionFactory(slug="tea"))[Role.MANAGER]
    for email in ("eva@example.org", "fay@example.org"):
        invite(manager, email)
    page = new_page(manager.user, permissions=["clipboard-read", "clipboard-write"])
    if not has_clipboard:
        page.add_init_script("navigator.clipboard.writeText = undefined")
    page.goto(reverse("member_list", args=["tea"]))
    button = page.get_by_role("button", name="Copy all links")
    button.click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    expect(button).to_be_focused()
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert [line.split("\t")[0] for line in lines] == ["eva@example.org", "fay@example.org"]
    assert all("/invitations/" in line.split("\t")[1] for line in lines)
    page.get_by_role("button", name="Copy link for eva@example.org").click()
    expect(page.get_by_text("Copied.")).to_have_count(2)
    assert page.evaluate("navigator.clipboard.readText()") == lines[0].split("\t")[1]


def test_a_wide_table_can_be_scrolled_with_the_keyboard(new_page: NewPage) -> None:
    page = new_page(UserFactory())
    page.goto("/help/style/")
    frame = page.locator(".table-scroll").first
    expect(frame).not_to_have_attribute("tabindex", "0")
    frame.locator("table").evaluate("table => { table.style.minWidth = '3000px' }")
    expect(page.get_by_role("region", name="Numbers are tabular and stand right")).to_have_attribute("tabindex", "0")
    assert_accessible(page)
    frame.locator("table").evaluate("table => { table.style.minWidth = '' }")
    expect(frame).not_to_have_attribute("role", "region")


def test_a_heading_of_one_long_word_breaks_in_a_narrow_window(new_page: NewPage) -> None:
    collection = CollectionFactory(slug="long", title="campaign:main;unit=aspect;unresolved=skip;grade=binary")
    page = new_page(user=one_member_each(collection)[Role.MANAGER].user)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(reverse("collection_dashboard", args=["long"]))
    expect(page.get_by_role("heading", level=1)).to_have_text(collection.title)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_printing_leaves_the_furniture_away(new_page: NewPage, members: dict[Role, Membership]) -> None:
    page = new_page(members[Role.MANAGER].user, color_scheme="dark")
    page.goto("/c/tea/audit/")
    page.emulate_media(media="print")
    expect(page.locator(".masthead")).to_be_hidden()
    expect(page.locator(".tabs")).to_be_hidden()
    expect(page.get_by_role("heading", name="Audit log")).to_be_visible()
    assert (
        page.evaluate("getComputedStyle(document.body).color") == "rgb(31, 28, 38)"
    )  # ink on paper, whatever the scheme


def test_a_choice_that_is_applied_at_once_keeps_the_focus(new_page):
    """The page is loaded again: people who use keys would begin at its top."""
    built = build_work(items=1)
    page = new_page(user=MembershipFactory(collection=built.collection, role=Role.MANAGER).user)
    page.goto(reverse("export_list", args=[built.collection.slug]))
    level = page.get_by_label("Level", exact=True)
    level.focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_url("**level=**")
    expect(level).to_be_focused()
