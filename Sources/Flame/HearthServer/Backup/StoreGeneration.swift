import Glibc
import HearthEngine

/// The number of the stores of a folder, which every restore changes.
///
/// A program that outlives a restore sends the writes again that have no answer, and the restored stores
/// may never have seen these writes. The number tells the daemon that a write was sent to other stores,
/// which may have taken the write, so the daemon does not take the write again.
///
/// Shape: a file with the number in decimal digits. A folder without one is given one by the next daemon.
enum StoreGeneration {
    private static let byteCountMax = 64

    /// The number as a start of the daemon has it.
    struct Known: Sendable {
        /// The number; 0 if the folder has one that cannot be read.
        let number: UInt64
        /// Why the number cannot be read, or does not outlast this run.
        let problem: BackupError?
    }

    /// Where the number lies.
    static func path(in folder: String) -> String { folder + "/store-generation" }

    /// The number of a folder's stores for a start, whatever the disk does; makes it if there is none.
    ///
    /// New stores never pass for older ones: a number that cannot be written counts for this run alone.
    ///
    /// - Parameter isRestored: Whether a restore was finished since the last start.
    static func known(in folder: String, isRestored: Bool) -> Known {
        // Whoever opens a store there tells that the place is no folder.
        if isNoFolder(folder) { return Known(number: random(), problem: nil) }
        let found: UInt64?
        do throws(BackupError) {
            found = try read(in: folder)
        } catch {
            return Known(number: isRestored ? random() : 0, problem: error)
        }
        if let found { return Known(number: found, problem: nil) }
        let made = random()
        do throws(BackupError) {
            try write(made, in: folder)
        } catch {
            return Known(number: made, problem: error)
        }
        return Known(number: made, problem: nil)
    }

    private static func isNoFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
    }

    private static func random() -> UInt64 { UInt64.random(in: 1...UInt64.max) }

    /// The number; `nil` if there is no file, or the file holds none.
    private static func read(in folder: String) throws(BackupError) -> UInt64? {
        let bytes: [UInt8]?
        do throws(BackupError) {
            bytes = try RestoredFile.read(path(in: folder), byteCountMax: byteCountMax)
        } catch {
            guard case .damaged = error else { throw error }
            return nil  // Longer than any number.
        }
        guard let bytes,
            let number = UInt64(String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)),
            number > 0
        else { return nil }
        return number
    }

    private static func write(_ number: UInt64, in folder: String) throws(BackupError) {
        let path = path(in: folder)
        do throws(StoreError) {
            try StoreFolder.makeFolders(above: path)
        } catch {
            throw .io("\(error)")
        }
        try RestoredFile.write(Array("\(number)\n".utf8), to: path + ".new")
        guard rename(path + ".new", path) == 0 else {
            throw RestoredFile.error("renaming \(path).new")
        }
        try RestoredFile.syncFolder(of: path)
    }

    /// Has the next daemon give the folder's stores another number.
    static func end(in folder: String) throws(BackupError) {
        let path = path(in: folder)
        guard unlink(path) == 0 || errno == ENOENT else {
            throw RestoredFile.error("removing \(path)")
        }
        try RestoredFile.syncFolder(of: path)
    }
}
