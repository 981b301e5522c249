"""The commands by which a manager uploads a release to the Hugging Face Hub; Litmus itself sends nothing."""

from adjudication.models import Release

# Of huggingface_hub: the second one makes the repository where there is none, private, with every file of the folder.
COMMANDS = "hf auth login\nhf upload YOUR-NAME/{stem} {stem} . --repo-type dataset --private"


def upload_commands(release: Release) -> str:
    """Two lines for the archive of the named variant, unpacked into a folder with the archive's name."""
    return COMMANDS.format(stem=archive_stem(release, anonymous=False))


def archive_stem(release: Release, *, anonymous: bool) -> str:
    """The name of the archive without .zip; that of the anonymous variant does not say which collection it is."""
    return f"anonymous-{release.name}" if anonymous else f"{release.collection.slug}-{release.name}"
