import Glibc
import HearthEngine

/// The number of the stores of a folder, which every restore changes.
///
/// A program that outlives a restore sends the writes again that have no answer, and the restored stores
/// may never have seen these writes. The number tells the daemon that a write was sent to other stores,
/// which may have taken the write, so the daemon does not take the write again.
///
/// Shape: a file with the number in decimal digits and a line break, without zeros in front: a file that was cut
/// short has no line break. A folder without one is given one by the next daemon, which tells of that if a store's
/// schema is of a time when folders had a number: then somebody has removed the file.
enum StoreGeneration {
    private static let byteCountMax = 64

    /// The number as a start of the daemon has it.
    struct Known: Sendable {
        /// The number, never 0.
        let number: UInt64
        /// Why the number is not the stores' own for good.
        let problem: Problem?
    }

    /// What is wrong with the number of a start.
    enum Problem: Hashable, Sendable {
        /// The number was damaged or gone, and the stores now have another one.
        case replaced(String)
        /// The file cannot be read: this run alone has the number.
        case unreadable(BackupError)
        /// The file cannot be written: this run alone has the number.
        case unwritable(BackupError)

        /// The problem and its cure, in sentences.
        var text: String {
            let fate =
                "a write that a program has sent before and sends again may be answered as unknown."
            return switch self {
            case .replaced(let flaw):
                "The number of the stores was lost (\(flaw)), and the stores have another number now: "
                    + "\(fate) See who writes to the folder; then \"hearth reload\" takes note, as the "
                    + "next start does."
            case .unreadable(let error):
                "The number of the stores cannot be read, and this run has a number of its own: "
                    + "\(fate) \(error) Mend the folder; then \"hearth reload\" takes note, and the "
                    + "next start takes the number that is there."
            case .unwritable(let error):
                "The number of the stores cannot be kept, so after the next start \(fate) \(error) "
                    + "Mend the folder, or make room; then \"hearth reload\" keeps the number."
            }
        }
    }

    /// Where the number lies.
    static func path(in folder: String) -> String { folder + "/store-generation" }

    /// The number of a folder's stores for a start, whatever the disk does; makes it if there is none.
    ///
    /// Stores never pass for older ones: who cannot say which stores these are says another number, and the
    /// writes of programs that outlived the stores are then in doubt. A number that cannot be read or written
    /// counts for this run alone.
    static func known(in folder: String) -> Known {
        // Whoever opens a store there tells that the place is no folder.
        if isNoFolder(folder) { return Known(number: random(), problem: nil) }
        var flaw: String?
        do throws(BackupError) {
            switch try read(in: folder) {
            case .number(let number): return Known(number: number, problem: nil)
            case .nothing: flaw = removal(in: folder)
            case .damage(let found): flaw = found
            }
        } catch {
            return Known(number: random(), problem: .unreadable(error))
        }
        let made = random()
        do throws(BackupError) {
            try write(made, in: folder)
        } catch {
            return Known(number: made, problem: .unwritable(error))
        }
        return Known(number: made, problem: flaw.map(Problem.replaced))
    }

    /// Has a folder keep the number of a run, unless the folder has a number by now; an
    /// administrator has taken note of the start's report. Blocks on the disk.
    ///
    /// What a restore has made of the number under a running daemon stays: the next start looks at the number.
    ///
    /// - Returns: Why the folder still has no number for good.
    static func keep(_ number: UInt64, in folder: String) -> Problem? {
        if isNoFolder(folder) || RestoreMark.isUntold(in: folder) { return nil }
        do throws(BackupError) {
            if case .number = try read(in: folder) { return nil }
        } catch {
            return .unreadable(error)
        }
        do throws(BackupError) {
            try write(number, in: folder)
        } catch {
            return .unwritable(error)
        }
        return nil
    }

    /// What tells that the folder had a number, as a part of a sentence; `nil` if it had none.
    private static func removal(in folder: String) -> String? {
        StoreFolder.databases(in: folder).first { $0.hadNumber() }.map { store in
            "\(path(in: folder)) is gone, and \(store.path) is of a time when the stores had one"
        }
    }

    private static func isNoFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
    }

    private static func random() -> UInt64 { UInt64.random(in: 1...UInt64.max) }

    /// What a look at the file brings.
    private enum Content {
        case number(UInt64)
        case nothing
        /// What is wrong with the file, as a part of a sentence.
        case damage(String)
    }

    private static func read(in folder: String) throws(BackupError) -> Content {
        let path = path(in: folder)
        let bytes: [UInt8]?
        do throws(BackupError) {
            bytes = try RestoredFile.read(path, byteCountMax: byteCountMax)
        } catch {
            guard case .damaged(let flaw) = error else { throw error }
            return .damage(flaw)
        }
        guard let bytes else { return .nothing }
        guard let number = UInt64(String(decoding: bytes.dropLast(), as: UTF8.self)), number > 0,
            text(of: number) == bytes
        else { return .damage("\(path) holds \(bytes.count) bytes that are no number") }
        return .number(number)
    }

    /// The file's bytes.
    private static func text(of number: UInt64) -> [UInt8] { Array("\(number)\n".utf8) }

    private static func write(_ number: UInt64, in folder: String) throws(BackupError) {
        let path = path(in: folder)
        do throws(StoreError) {
            try StoreFolder.makeFolders(above: path)
        } catch {
            throw .store(error)
        }
        try RestoredFile.write(text(of: number), to: path + ".new")
        guard rename(path + ".new", path) == 0 else {
            throw RestoredFile.error("renaming \(path).new")
        }
        try RestoredFile.syncFolder(of: path)
    }

    /// Gives a folder's stores another number.
    ///
    /// A full disk must not keep a restore from its end: then the next daemon gives the number, and tells that there
    /// was none.
    static func renew(in folder: String) throws(BackupError) {
        do throws(BackupError) {
            try write(random(), in: folder)
        } catch {
            try remove(in: folder)
        }
    }

    private static func remove(in folder: String) throws(BackupError) {
        let path = path(in: folder)
        guard unlink(path) == 0 || errno == ENOENT else {
            throw RestoredFile.error("removing \(path)")
        }
        try RestoredFile.syncFolder(of: path)
    }
}
