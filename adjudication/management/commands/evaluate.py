from adjudication.exports.commands.evaluate import Command
