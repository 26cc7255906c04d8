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

    private static func path(in folder: String) -> String { folder + "/store-generation" }

    /// The number of a folder's stores, never 0; makes it if there is none. Blocks on the disk.
    ///
    /// - Throws: `BackupError` if the folder can be neither read nor written.
    static func number(in folder: String) throws(BackupError) -> UInt64 {
        let path = path(in: folder)
        if let bytes = try? RestoredFile.read(path, byteCountMax: byteCountMax),
            let number = UInt64(String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)),
            number > 0
        {
            return number
        }
        do throws(StoreError) {
            try StoreFolder.makeFolders(above: path)
        } catch {
            throw .io("\(error)")
        }
        let number = UInt64.random(in: 1...UInt64.max)
        try RestoredFile.write(Array("\(number)\n".utf8), to: path + ".new")
        guard rename(path + ".new", path) == 0 else {
            throw RestoredFile.error("renaming \(path).new")
        }
        try RestoredFile.syncFolder(of: path)
        return number
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
