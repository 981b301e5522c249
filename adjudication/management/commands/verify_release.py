from adjudication.releases.commands import VerifyRelease as Command
