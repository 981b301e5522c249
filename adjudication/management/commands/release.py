from adjudication.releases.commands.release import Command
