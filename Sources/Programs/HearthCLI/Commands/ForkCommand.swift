import ArgumentParser
import Glibc
import Hearth

/// `hearth fork`: has a backup taken, and `hearthd`, which knows the stores, make a folder of it.
struct ForkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fork",
        abstract: "Make a folder of a database's cache and queue, which the emulator opens.",
        discussion: """
            What happened on this machine can be tried again on another, without the backend: `hearthd \
            emulate --data FOLDER` serves the documents that the cache holds, as the backend last told \
            them; with --with-queue, as programs here see them. The writes that wait are in \
            FOLDER/queue.ndjson, a line for each batch, whose "writes" a request to commit takes as \
            they are. A history of documents that the daemon keeps ([history] isKept) is in \
            FOLDER/history.ndjson, a line for each step, the oldest first; the emulator has no use for it.

            The daemon goes on meanwhile. Documents and queue are as they were at one moment, with every \
            write that was accepted before. The folder can be read by its owner alone, appears when it \
            is whole, and may only be there before if it is empty. It holds what the cache holds: what \
            no program here has read is not in it, and a document whose fields are not known is left \
            out and counted. It holds one Firestore database, and the trees of all instances of the Realtime \
            Database that programs here have used, each under the name of its instance, as far as the \
            cache holds them. The emulator can serve one tree of a name; another is left out and named. The writes that wait for them are in FOLDER/realtime-queue.ndjson, a line \
            for each with its instance, its places and what is to be there. As `hearth backup`, only root and the daemon's own user may do this, and \
            whom the access rules let administer and read all of every database. `hearthd fork FILE \
            FOLDER` makes the same of a backup. JSON: database, documents, unknown, batches, steps, trees, \
            treeWrites, treesLeftOut.
            """)

    @Argument(help: "The folder to make.", completion: .directory)
    var folder: String
    @Flag(help: "Apply the waiting writes on top, so that the documents are as programs see them.")
    var withQueue = false
    @Option(
        help: ArgumentHelp(
            "Whose waiting writes are applied, if the writes of several users wait; empty for nobody "
                + "signed in.", valueName: "user"))
    var user: String?
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard user == nil || withQueue else {
            throw ValidationError("--user counts only with --with-queue.")
        }
    }

    func run() async throws {
        try expectFree()
        let session = try await Session.whenStarted(connection)
        let file = try UnnamedFile(besides: Self.withoutEnd(folder))
        let database = session.firestore
        let name = try await session.attempt("fork") {
            let status = try await database.daemonStatus()
            try await database.takeDaemonBackup { try file.append($0.bytes) }
            return "\(status.projectID)/\(status.databaseID)"
        }
        throw DaemonProgram.execute(try words(file, name), to: "fork")
    }

    /// The command line of `hearthd`.
    private func words(_ file: UnnamedFile, _ database: String) throws(Failure) -> [String] {
        var words = ["hearthd", "fork", "--database", database]
        if withQueue { words.append("--with-queue") }
        if let user { words.append("--user=\(user)") }
        if connection.json { words.append("--json") }
        if connection.quiet { words.append("--quiet") }
        return words + ["--", try file.pathForSuccessor(), folder]
    }

    /// Nothing is asked of the daemon in vain; `hearthd` looks again.
    private func expectFree() throws(Failure) {
        guard let stream = opendir(folder) else {
            if errno == ENOENT { return }
            throw OutputFile.failure(folder)
        }
        defer { closedir(stream) }
        var count = 0
        while readdir(stream) != nil { count += 1 }
        guard count <= 2 else {  // Itself and the folder above.
            throw Failure(
                .usage, "\(folder) is there and is not empty. Name a folder that is not there.")
        }
    }

    private static func withoutEnd(_ folder: String) -> String {
        var folder = folder
        while folder.utf8.count > 1, folder.utf8.last == UInt8(ascii: "/") { folder.removeLast() }
        return folder
    }
}
