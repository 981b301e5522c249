from adjudication.releases.commands.verify_release import Command
