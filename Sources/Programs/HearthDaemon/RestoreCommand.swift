import ArgumentParser
import Glibc
import HearthEngine
import HearthModel
import HearthServer

/// `hearthd restore`: puts a backup into a store folder, without a running daemon.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put cache and queue of a backup in the place of those of a stopped daemon.",
        discussion: """
            The folder is the configured one, store.folder of hearthd.toml; --folder names another, and \
            --config FILE another configuration. `hearth restore --help` tells more.
            """)

    @Argument(help: "The backup.")
    var file: String
    @Option(
        help: ArgumentHelp(
            "The folder of the databases, if not the configured one.", valueName: "folder"))
    var folder: String?
    @Option(
        help: ArgumentHelp(
            "What to do with writes that wait in the backup.", valueName: "hold|drop|keep"))
    var queue = RestoredQueue.hold
    @Flag(help: "Replace databases in which unsent writes wait, too.")
    var replace = false
    @Flag(help: "Read the whole file and tell what is in it, and change nothing.")
    var checkOnly = false

    /// The outer command.
    ///
    /// If both commands have a flag, the parser gives the flag to the outer command, wherever the
    /// flag stands on the command line.
    @ParentCommand var daemon: HearthDaemonCommand

    func run() throws {
        do throws(BackupError) {
            let file = try BackupFile(path: file)
            if checkOnly { return try check(file) }
            guard let folder = folder ?? daemon.readConfiguration().storeFolder else {
                throw .io("No folder is configured: name one with --folder")
            }
            try restore(file, to: Self.withoutEnd(folder))
        } catch {
            Terminal.complain(
                ControlCharacters.escaped("hearthd restore: \(file) is not restored. \(error)"))
            throw ExitCode.failure
        }
    }

    private func check(_ file: BackupFile) throws(BackupError) {
        let (header, entries) = try BackupRestore.check(file)
        say(
            "a backup of \(header.machine), made by hearthd \(header.daemonVersion) at "
                + "\(header.time)")
        for entry in entries { say("\(entry.subject): \(entry.byteCount) bytes") }
    }

    private func restore(_ file: BackupFile, to folder: String) throws(BackupError) {
        try Self.becomeOwner(of: folder)
        let order = BackupRestore.Order(queue: queue, replacesUnsent: replace)
        let outcome = try BackupRestore(of: file, to: folder, order).run()
        for path in outcome.setAside { say("put aside: \(path)") }
        for store in outcome.stores {
            say("\(store.key): restored. \(word(on: store.counts))")
        }
        if let sentence = outcome.lossSentence { say(sentence) }
    }

    /// What an administrator must know of the writes in a restored store.
    private func word(on counts: RestoredCounts) -> String {
        guard counts.batchCount > 0 else { return "Nothing waited in it." }
        let (count, sent) = (counts.batchCount, counts.sentCount)
        let doubt = "\(sent) of them were on the way to the backend when the backup was made"
        return switch queue {
        case .keep: "\(count) batches wait and will be sent; \(doubt)."
        case .drop: "\(count) batches that waited in it are dropped; \(doubt)."
        case .hold:
            "\(count) batches are held, since they may have been sent after the backup was made; "
                + "\(doubt). See hearth queue; then hearth queue release, or hearth queue drop."
        }
    }

    private func say(_ line: String) { print(ControlCharacters.escaped(line)) }

    private static func withoutEnd(_ folder: String) -> String {
        var folder = folder
        while folder.utf8.count > 1, folder.utf8.last == UInt8(ascii: "/") { folder.removeLast() }
        return folder
    }

    /// Root goes on as the owner of the folder, so the daemon can open the restored files.
    private static func becomeOwner(of folder: String) throws(BackupError) {
        guard geteuid() == 0 else { return }
        var status = stat()
        guard stat(folder, &status) == 0 else {
            throw .io(
                "\(folder) is not there: start the daemon once, or make the folder for the daemon's "
                    + "user")
        }
        guard status.st_uid != 0 else { return }
        var groups = [status.st_gid]
        guard setgroups(1, &groups) == 0, setgid(status.st_gid) == 0, setuid(status.st_uid) == 0
        else { throw .io("Cannot go on as the owner of \(folder)") }
    }
}

extension RestoredQueue: ExpressibleByArgument {}
