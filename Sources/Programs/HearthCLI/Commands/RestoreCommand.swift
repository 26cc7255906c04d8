import ArgumentParser

/// `hearth restore`: has `hearthd`, which knows the stores, put a backup back.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put cache and queue of a backup in the place of those of a stopped daemon.",
        discussion: """
            Stop the daemon first. All databases of the file are replaced, or none; databases that the \
            file does not hold stay. A database with unsent writes is replaced only with --replace, \
            and is put aside then. What waits in the backup may have been sent by the daemon that \
            went on after it. So it is held, unless --queue says otherwise: look at it with \
            `hearth queue`, then `hearth queue release` sends a batch and `hearth queue drop` \
            forgets it. A program that lives through the restore is told of a write that the backup had \
            not seen as in doubt, and it is not sent again. As root, the command works as the folder's owner. The same as `hearthd \
            restore`.
            """)

    @Argument(help: "The backup.", completion: .file())
    var file: String
    @Option(
        help: ArgumentHelp(
            "The folder of the databases, if not the configured one.", valueName: "folder"),
        completion: .directory)
    var folder: String?
    @Option(
        help: ArgumentHelp(
            "What to do with writes that wait in the backup: hold them; drop them; or keep them to be "
                + "sent, if the daemon of the backup has sent nothing since and never will.",
            valueName: "hold|drop|keep"))
    var queue = "hold"
    @Flag(help: "Replace databases in which unsent writes wait, too.")
    var replace = false
    @Flag(help: "Read the whole file and tell what is in it, and change nothing.")
    var check = false
    @Option(help: ArgumentHelp("The daemon's configuration file.", valueName: "path"))
    var config: String?

    /// The words that `hearthd restore --queue` takes.
    private static let queueWords = ["hold", "drop", "keep"]

    func validate() throws {
        guard Self.queueWords.contains(queue) else {
            let words = Self.queueWords.joined(separator: ", ")
            throw ValidationError("--queue must be one of \(words), not \"\(queue)\".")
        }
    }

    /// The command line of `hearthd`.
    var words: [String] {
        var words = ["hearthd"]
        if let config { words += ["--config", config] }
        words += ["restore", "--queue", queue]
        if let folder { words += ["--folder", folder] }
        if replace { words.append("--replace") }
        if check { words.append("--check-only") }
        return words + ["--", file]
    }

    func run() throws { throw DaemonProgram.execute(words, to: "restore") }
}
