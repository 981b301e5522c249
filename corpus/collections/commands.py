"""Commands about collections, their people and one person's data."""

from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandParser
from django.core.validators import validate_slug
from django.utils import timezone

from accounts import jobs
from accounts.languages import NAMES
from accounts.management.reporting import IN_COLLECTION, PROGRAM, ReportingCommand, text_of, user_with, whole_file
from accounts.refusals import Refused
from corpus.collections.address_lists import HELP, read_addresses
from corpus.collections.backup import backup_pieces, restore_backup
from corpus.collections.collections import (
    archive_collection,
    collection_with,
    create_collection,
    pseudonym_of,
    rename_collection,
    reopen_collection,
    update_collection,
)
from corpus.collections.forms import INVITED_IN
from corpus.collections.invitation_links import link_for
from corpus.collections.invitations import InvitationReport, invite_several
from corpus.collections.people import add_member
from corpus.collections.persons import request_person_erasure, take_out_data
from corpus.collections.rules import check_can_manage, check_not_archived
from corpus.collections.statistics import collection_statistics
from corpus.collections.statistics_table import WRITERS, lines_of
from corpus.models import Membership, Role
from engines.text.languages import ENGLISH, LANGUAGES

DESCRIBED = ("title", "description", "licence", "language")
LANGUAGE_HELP = (
    f"of most of its texts, which chooses stemmer and stop words: {', '.join(LANGUAGES)} (several languages: mul);"
    f" {ENGLISH} where none was chosen"
)


class CreateCollection(ReportingCommand):
    """litmus create_collection SLUG --title T [--description D] [--licence L] [--language CODE]
    [--manager EMAIL] [--json]
    """

    called = "create_collection"
    task = "Start"
    example = 'create_collection cr --title "Citation recommendation"'
    help = "Make a collection. Without --manager it has no members until you add one with add_member."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name in addresses and file names")
        parser.add_argument("--title", required=True, help="as it will be cited")
        parser.add_argument("--description", default="", help="what it is about and who it is for")
        parser.add_argument("--licence", default="", help="of what will be released, for example “CC BY 4.0”")
        parser.add_argument("--language", metavar="CODE", default=ENGLISH, help=LANGUAGE_HELP)
        parser.add_argument("--manager", metavar="EMAIL", help="who manages it; needs an account")

    def carry_out(self, *, slug: str, manager: str | None, **options: Any) -> tuple[str, dict[str, Any]]:
        try:
            validate_slug(slug)
        except ValidationError as error:
            raise Refused(f"{slug!r} cannot be a short name: use letters, digits, hyphens and underscores.") from error
        collection = create_collection(
            by=None,
            at=timezone.now(),
            slug=slug,
            manager=user_with(manager) if manager else None,
            **{name: options[name] for name in ("title", "description", "licence", "language")},
        )
        result = {name: getattr(collection, name) for name in ("slug", "title", "language")} | {"manager": manager}
        if manager:
            return f"Made the collection {collection.slug}, managed by {manager}.", result
        advice = f"Nobody is in it yet: {PROGRAM} add_member {collection.slug} EMAIL manager"
        return f"Made the collection {collection.slug}. {advice}", result


class AddMember(ReportingCommand):
    """litmus add_member SLUG EMAIL ROLE [--json]"""

    called = "add_member"
    where = IN_COLLECTION
    task = "Start"
    example = "add_member demo you@example.org annotator"
    help = "Add a person who has an account to a collection."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email", help="address of the account")
        parser.add_argument("role", choices=Role.values)

    def carry_out(self, *, slug: str, email: str, role: str, **_: Any) -> tuple[str, dict[str, Any]]:
        collection, user = collection_with(slug), user_with(email)
        add_member(by=None, at=timezone.now(), collection=collection, user=user, role=Role(role), membership=None)
        return f"{user.email} is now {role} of {slug}.", {"slug": slug, "email": user.email, "role": role}


class InvitePeople(ReportingCommand):
    """litmus invite_people SLUG FILE --by EMAIL [--role ROLE] [--dry-run] [--json]"""

    called = "invite_people"
    where = IN_COLLECTION
    task = "Start"
    example = "invite_people demo judges.txt --by maria@litmus.example --role annotator"
    help = "Invite all e-mail addresses of a list into a collection. Each gets a link that is valid for fourteen days."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", help=f"the addresses, or - for standard input. {HELP}")
        parser.add_argument("--by", required=True, metavar="EMAIL", help="the manager in whose name people are invited")
        parser.add_argument("--role", choices=Role.values, default=Role.ANNOTATOR.value)
        parser.add_argument("--mail-language", choices=list(NAMES), default="en", help=INVITED_IN.lower())
        parser.add_argument("--dry-run", action="store_true", help="only say who would be invited")

    def carry_out(
        self, *, slug: str, file: str, by: str, role: str, mail_language: str, dry_run: bool, **_: Any
    ) -> tuple[str, dict[str, Any]]:
        collection, inviter = collection_with(slug), user_with(by)
        membership = Membership.objects.filter(collection=collection, user=inviter).first()
        if membership is None:
            raise Refused(f"{inviter.email} is not in {slug}. Name one of its managers with --by.")
        check_not_archived(collection)
        check_can_manage(membership)
        report = invite_several(
            by=inviter,
            at=timezone.now(),
            membership=membership,
            emails=read_addresses(text_of(file)),
            role=Role(role),
            mail_language=mail_language,
            dry_run=dry_run,
        )
        return _invitation_summary(report), report.as_json()


def _invitation_summary(report: InvitationReport) -> str:
    lines = [f"{report.dry_run_summary} Nothing was changed." if report.is_dry else str(report)]
    if report.unsent:
        lines.append(f"{len(report.unsent):,} mails were not sent. Hand over these links:")
        lines += [f"{each.invitation.email} {link_for(each.invitation)}" for each in report.unsent]
    return "\n".join([*lines, *([report.not_invited] if report.refused else [])])


class UpdateCollection(ReportingCommand):
    """litmus update_collection SLUG [--title T] [--description D] [--licence L] [--language CODE] [--json]"""

    called = "update_collection"
    where = IN_COLLECTION
    task = "Look after"
    example = 'update_collection demo --licence "CC BY 4.0"'
    help = "Change title, description, licence or language of a collection."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--title", help="as it will be cited")
        parser.add_argument("--description", help="what it is about and who it is for")
        parser.add_argument("--licence", help="of what will be released, for example “CC BY 4.0”")
        parser.add_argument("--language", metavar="CODE", help=LANGUAGE_HELP)

    def carry_out(self, *, slug: str, **options: Any) -> tuple[str, dict[str, Any]]:
        fields = {name: options[name] for name in DESCRIBED if options[name] is not None}
        if not fields:
            raise Refused("Nothing to change. Give --title, --description, --licence or --language.")
        if not fields.get("title", "-").strip():
            raise Refused("The collection needs a title.")
        changed = update_collection(by=None, at=timezone.now(), collection=collection_with(slug), **fields)
        result = {name: getattr(changed, name) for name in ("slug", *DESCRIBED)}
        return f"Changed the collection {changed.slug}.", result


class RenameCollection(ReportingCommand):
    """litmus rename_collection SLUG NEW-SLUG [--json]"""

    called = "rename_collection"
    where = IN_COLLECTION
    task = "Look after"
    example = "rename_collection demo tutorial"
    help = "Give a collection another short name. Links with the former one keep working."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("new", help="its new short name")

    def carry_out(self, *, slug: str, new: str, **_: Any) -> tuple[str, dict[str, Any]]:
        renamed = rename_collection(by=None, at=timezone.now(), collection=collection_with(slug), slug=new)
        return f"{renamed.title} is now {renamed.slug}.", {"slug": renamed.slug, "before": slug}


class ArchiveCollection(ReportingCommand):
    """litmus archive_collection SLUG [--reopen] [--json]"""

    called = "archive_collection"
    where = IN_COLLECTION
    task = "Look after"
    example = "archive_collection demo"
    help = "Make a collection read-only, or take it out of the archive again."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--reopen", action="store_true", help="take it out of the archive")

    def carry_out(self, *, slug: str, reopen: bool, **_: Any) -> tuple[str, dict[str, Any]]:
        act = reopen_collection if reopen else archive_collection
        collection = act(by=None, at=timezone.now(), collection=collection_with(slug))
        state = "archived" if collection.archived_at else "open"
        return f"{collection.slug} is {state}.", {"slug": collection.slug, "state": state}


class BackupCollection(ReportingCommand):
    """litmus backup_collection SLUG FILE [--json]"""

    called = "backup_collection"
    where = IN_COLLECTION
    task = "Look after"
    example = "backup_collection demo demo.zip"
    line = "Write one collection with the files of its papers to a zip file"
    help = "Write one collection with the files of its papers to a zip file, for restore_collection."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, help="a new file")

    def carry_out(self, *, slug: str, file: Path, **_: Any) -> tuple[str, dict[str, Any]]:
        collection = collection_with(slug)
        if file.exists():
            raise Refused(f"{file} exists. Choose another name, or remove it first.")
        with whole_file(file) as target:
            size = sum(target.write(piece) for piece in backup_pieces(collection))
        return f"{file}: {size:,} bytes.", {"slug": slug, "file": str(file), "bytes": size}


class RestoreCollection(ReportingCommand):
    """litmus restore_collection FILE [--json]"""

    called = "restore_collection"
    task = "Look after"
    example = "restore_collection demo.zip"
    help = "Bring a deleted collection back from its backup, as an archived one."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, help="as `backup_collection` wrote it")

    def carry_out(self, *, file: Path, **_: Any) -> tuple[str, dict[str, Any]]:
        try:
            with file.open("rb") as stream:
                collection = restore_backup(stream)
        except OSError as error:
            raise Refused(f"{file} cannot be read: {error.strerror}.") from error
        return f"Restored {collection.slug}. It is archived.", {"slug": collection.slug, "title": collection.title}


class CollectionStats(ReportingCommand):
    """litmus collection_stats SLUG [--format text|markdown|latex] [--json]"""

    called = "collection_stats"
    where = IN_COLLECTION
    prints = True
    task = "Prepare"
    example = "collection_stats demo"
    line = "Dataset statistics: counts of documents, topics, aspects, pools, pairs"
    help = "Count what a collection holds: documents, topics, aspects, pools and the pairs to judge."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        formats = "a table for a paper; the default is lines for people"
        parser.add_argument("--format", choices=list(WRITERS), default="text", dest="form", help=formats)

    def carry_out(self, *, slug: str, form: str, **_: Any) -> tuple[str, dict[str, Any]]:
        found = collection_statistics(collection_with(slug))
        text = WRITERS[form](lines_of(found))
        if form == "text":
            text += "\nCounts of 0 are left out; --json prints all."
        return text, found


class ExportPerson(ReportingCommand):
    """litmus export_person EMAIL --json"""

    called = "export_person"
    task = "Look after"
    example = "export_person ada@litmus.example --json"
    help = "Print everything that Litmus stores about a person, as JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email", help="address of the person")

    def carry_out(self, *, email: str, **_: Any) -> tuple[str, dict[str, Any]]:
        data = take_out_data(by=None, at=timezone.now(), user=user_with(email))
        return f"{len(data['answers']):,} answers, {len(data['actions']):,} actions. Use --json to print them.", data


class ErasePerson(ReportingCommand):
    """litmus erase_person EMAIL --labels keep|exclude --confirm EMAIL [--json]"""

    called = "erase_person"
    task = "Look after"
    example = "erase_person ada@litmus.example --labels keep --confirm ada@litmus.example"
    help = "Replace a person's name and address by a pseudonym everywhere. This cannot be undone."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email", help="address of the person")
        parser.add_argument("--labels", choices=("keep", "exclude"), required=True, help="what becomes of their labels")
        parser.add_argument("--confirm", required=True, metavar="EMAIL", help="the address, typed again")

    def carry_out(self, *, email: str, labels: str, confirm: str, **_: Any) -> tuple[str, dict[str, Any]]:
        user, at = user_with(email), timezone.now()
        run = request_person_erasure(
            by=None, at=at, user=user, confirm=confirm, keep_labels=labels == "keep", send=False
        )
        jobs.complete(run)
        pseudonym = pseudonym_of(user)[0]
        return f"Erased. The person is now {pseudonym}.", {"pseudonym": pseudonym, "labels": labels}
