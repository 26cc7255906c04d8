import ArgumentParser
import HearthCLI
import HearthEmulator
import HearthEngine
import HearthFirestore
import HearthModel
import HearthRealtime
import HearthServer

/// `hearthd fork`: makes a data folder of the emulator out of a backup, without a running daemon.
struct ForkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fork",
        abstract:
            "Make a folder of a backup's documents and trees, which `hearthd emulate --data` opens.",
        discussion: "`hearth fork --help` tells more.")

    @Argument(help: "The backup.")
    var file: String
    @Argument(help: "The folder to make; it may be there if it is empty.")
    var folder: String
    @Option(
        help: ArgumentHelp(
            "The database, if the backup holds several.", valueName: "project[/database]"))
    var database: String?
    @Flag(help: "Apply the waiting writes on top, so that the documents are as programs see them.")
    var withQueue = false
    @Option(
        help: ArgumentHelp(
            "Whose waiting writes are applied, if the writes of several users wait; empty for nobody "
                + "signed in.", valueName: "user"))
    var user: String?
    @Flag(help: "Print JSON.")
    var json = false
    @Flag(name: .shortAndLong, help: "Print errors only.")
    var quiet = false

    /// The outer command.
    ///
    /// If both commands have a flag, the parser gives the flag to the outer command, wherever the
    /// flag stands on the command line.
    @ParentCommand var daemon: HearthDaemonCommand

    func validate() throws {
        guard user == nil || withQueue else {
            throw ValidationError("--user counts only with --with-queue.")
        }
        guard database == nil || databaseID != nil else {
            throw ValidationError(DatabaseName.complaint)
        }
    }

    func run() throws {
        do throws(ForkError) {
            let staging = try ForkStaging(for: folder)
            let fork = try fork(into: staging)
            try staging.finish()
            if !quiet { print(ControlCharacters.escaped(json ? report(fork) : words(fork))) }
        } catch {
            Terminal.complain(
                ControlCharacters.escaped("hearthd fork: \(folder) is not made. \(error.reason)"))
            throw ExitCode.failure
        }
    }

    /// The database that `--database` names; `nil` if none, or if that is no name.
    var databaseID: DatabaseID? {
        database.flatMap(DatabaseName.init).map {
            DatabaseID(project: $0.project, database: $0.database ?? DatabaseID.defaultName)
        }
    }

    /// The result, and its source. The copy of the store is gone by then.
    private struct Fork {
        let database: DatabaseID
        let folder: ForkedFolder
    }

    private func fork(into staging: ForkStaging) throws(ForkError) -> Fork {
        let backup = try openBackup()
        let source = try open(backup, at: staging.path + "/backup-copy")
        let trees = try openTrees(of: source, backup, at: staging.path + "/backup-copy-")
        let writer = try writer(in: source, trees)
        do throws(HearthError) {
            let forked = try ForkedFolder(path: staging.path, of: source.database)
            try source.forEachPage(of: writer) { page throws(HearthError) in
                try forked.append(page)
            }
            try source.forEachBatch { batch throws(HearthError) in
                try forked.append(ForkedFolder.Batch(batch))
            }
            try source.forEachStep { step throws(HearthError) in try forked.append(step) }
            for tree in trees {
                try forked.append(try tree.tree(of: writer), of: tree.instance)
                try tree.forEachWrite { write throws(HearthError) in
                    try forked.append(ForkedFolder.TreeWrite(write, to: tree.instance))
                }
            }
            try forked.finish()
            return Fork(database: source.database, folder: forked)
        } catch {
            throw ForkError(error.message)
        }
    }

    private func openBackup() throws(ForkError) -> BackupFile {
        try reading { () throws(BackupError) in try BackupFile(path: file) }
    }

    private func open(
        _ backup: BackupFile, at path: String
    ) throws(ForkError) -> BackedUpDatabase {
        try reading { () throws(BackupError) in
            try BackedUpDatabase(databaseID, of: backup, at: path)
        }
    }

    /// The instances of the Realtime Database that the backup holds, each with a copy at a path of its own.
    private func openTrees(
        of source: BackedUpDatabase, _ backup: BackupFile, at path: String
    ) throws(ForkError) -> [BackedUpInstance] {
        var trees: [BackedUpInstance] = []
        for (number, instance) in source.instances.enumerated() {
            let tree = try reading { () throws(BackupError) in
                try BackedUpInstance(instance, of: backup, at: path + "\(number)")
            }
            trees.append(tree)
        }
        return trees
    }

    private func reading<Result>(
        _ body: () throws(BackupError) -> Result
    ) throws(ForkError) -> Result {
        do throws(BackupError) {
            return try body()
        } catch {
            throw ForkError("The backup cannot be used. \(error)")
        }
    }

    /// Whose waiting writes are applied; `nil` for nobody's.
    private func writer(
        in source: BackedUpDatabase, _ trees: [BackedUpInstance]
    ) throws(ForkError) -> UserID? {
        guard withQueue else { return nil }
        if let user { return UserID(user) }
        var users: [UserID] = []
        do throws(BackupError) {
            users = try source.users()
            for tree in trees {
                for user in try tree.users() where !users.contains(user) { users.append(user) }
            }
        } catch {
            throw ForkError("\(error)")
        }
        guard users.count <= 1 else {
            throw ForkError(
                "The writes of several users wait: "
                    + "\(users.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")). Name the one "
                    + "whose writes are to be applied with --user.")
        }
        return users.first
    }

    // MARK: Words

    private func report(_ fork: Fork) -> String {
        """
        {"database":"\(fork.database.name)","documents":\(fork.folder.documentCount),\
        "unknown":\(fork.folder.unknownCount),"batches":\(fork.folder.batchCount),\
        "steps":\(fork.folder.stepCount),"trees":\(fork.folder.treeCount),\
        "treeWrites":\(fork.folder.treeWriteCount),\
        "treesLeftOut":\(fork.folder.leftOutTrees.count)}
        """
    }

    private func words(_ fork: Fork) -> String {
        let (made, database) = (fork.folder, fork.database)
        var words =
            "forked \(database.name): \(Self.count(made.documentCount, "document", "documents")), "
            + Self.count(made.batchCount, "waiting batch", "waiting batches")
            + " in \(ForkedFolder.queueFileName)"
        if made.stepCount > 0 {
            words +=
                ", \(Self.count(made.stepCount, "step", "steps")) of history in "
                + ForkedFolder.historyFileName
        }
        if made.treeCount > 0 {
            words += ", \(Self.count(made.treeCount, "tree", "trees")) of the Realtime Database"
        }
        if made.treeWriteCount > 0 {
            words +=
                " with \(Self.count(made.treeWriteCount, "waiting write", "waiting writes")) in "
                + ForkedFolder.treeQueueFileName
        }
        if made.unknownCount > 0 {
            let left = Self.count(made.unknownCount, "document", "documents")
            words += "; \(left) left out, because this machine does not know the fields"
        }
        for tree in made.leftOutTrees {
            words += "; the tree of \(tree.instance) left out, because \(tree.reason)"
        }
        return words + ". Open it with: hearthd emulate --data \(folder)"
    }

    private static func count(_ count: Int, _ singular: String, _ plural: String) -> String {
        "\(count) \(count == 1 ? singular : plural)"
    }
}

extension ForkedFolder.Batch {
    fileprivate init(_ queued: QueuedBatch) {
        self.init(
            id: queued.batch.id, user: queued.user, state: queued.state,
            writtenAt: queued.batch.writtenAt, writer: queued.writer,
            mutations: queued.batch.mutations)
    }
}

extension ForkedFolder.TreeWrite {
    fileprivate init(_ queued: QueuedWrite, to instance: InstanceID) {
        self.init(
            to: instance, id: queued.id, user: queued.user, state: queued.state,
            writtenAt: queued.writtenAt, writer: queued.writer, change: queued.change)
    }
}
