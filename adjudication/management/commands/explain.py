from adjudication.releases.commands.explain import Command
