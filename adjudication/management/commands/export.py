from adjudication.exports.commands.export import Command
