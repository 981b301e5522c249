from adjudication.publications.commands import Command
