from adjudication.papers.commands.check_contexts import Command
