from adjudication.releases.commands import FreezeRelease as Command
