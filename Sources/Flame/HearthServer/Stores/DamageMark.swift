import CLinux
import Glibc
import HearthEngine
import HearthSQLite

/// A file beside a damaged store whose rescue is not finished.
///
/// The rescue writes the mark before moving any file, and removes the mark when the saved data is
/// durable in the new store. So a power cut during a rescue lets the next rescue begin anew from
/// the old file. The next opening also repairs damage that the daemon finds during work.
///
/// Shape: a line with the reason, and a line with the path of the damaged file once the path is
/// known.
struct DamageMark: Hashable, Sendable {
    /// The damage, in words.
    var reason: String
    /// The path where the damaged file is set aside, or will be.
    var setAsidePath: String?

    private static let byteCountMax = 8_192

    private static func path(besides store: String) -> String { store + "-damaged" }

    /// The mark of a store, if it has one.
    ///
    /// - Throws: `StoreError.io` if something else than a plain file has the mark's place, or if nobody can tell
    ///   whether there is a mark: without the mark, a store with nothing in it would pass for a healthy store.
    static func read(besides store: String) throws(StoreError) -> DamageMark? {
        let descriptor = try PlainFile.open(
            path(besides: store), O_RDONLY, refuse: StoreError.io)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw error("reading the mark of \(store)")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: byteCountMax)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw error("reading the mark of \(store)") }
        let lines = String(decoding: bytes.prefix(count), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        // A half-written mark still counts as a mark.
        return DamageMark(
            reason: lines.first.map(String.init) ?? "",
            setAsidePath: lines.count > 2 ? String(lines[1]) : nil)
    }

    /// Puts the mark on disk.
    func write(besides store: String) throws(StoreError) {
        // In place, not by a new file: if the disk has room for the name alone, the name says
        // enough.
        let path = Self.path(besides: store)
        let descriptor = try PlainFile.open(
            path, O_WRONLY | O_CREAT | O_TRUNC, refuse: StoreError.io)
        guard descriptor >= 0 else { throw Self.error("marking \(path)") }
        defer { close(descriptor) }
        var text = String(reason.map { $0.isNewline ? " " : $0 }) + "\n"
        if let setAsidePath { text += setAsidePath + "\n" }
        let isWritten = text.withUTF8 { bytes in
            Glibc.write(descriptor, bytes.baseAddress, bytes.count) == bytes.count
        }
        guard isWritten, fsync(descriptor) == 0, clinux_sync_folder_of(path) == 0 else {
            throw Self.error("marking \(path)")
        }
    }

    /// Takes the mark away for good.
    static func remove(besides store: String) throws(StoreError) {
        let path = path(besides: store)
        guard unlink(path) == 0 || errno == ENOENT else { throw error("removing \(path)") }
        guard clinux_sync_folder_of(path) == 0 else {
            throw error("syncing the folder of \(store)")
        }
    }

    private static func error(_ action: String) -> StoreError {
        let code = errno
        let detail = "\(action): \(String(cString: strerror(code)))"
        return code == ENOSPC || code == EDQUOT ? .full(detail) : .io(detail)
    }
}
