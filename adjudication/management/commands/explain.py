from adjudication.releases.commands import Explain as Command
