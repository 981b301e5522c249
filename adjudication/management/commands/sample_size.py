from adjudication.agreement.commands import SampleSize as Command
