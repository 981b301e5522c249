from adjudication.agreement.commands.sample_size import Command
