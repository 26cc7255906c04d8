import CLinux
import Glibc
import HearthBackend
import HearthModel
import HearthSQLite

/// A file of declared indexes, in the form of `firestore.indexes.json`.
enum IndexFile {
    /// Reads what is declared; without a file only the automatic indexes are.
    ///
    /// - Throws: `HearthError` that says what is wrong with the file.
    static func read(_ path: String?) throws(HearthError) -> IndexCatalog {
        guard let path else { return IndexCatalog() }
        let descriptor = clinux_open_input(path)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        guard let bytes = PlainFile.bytes(of: descriptor, byteCountMax: byteCountMax) else {
            throw errno == EFBIG ? tooLong(path) : unreadable(path)
        }
        return try IndexCatalog(file: bytes)
    }

    /// The largest file that is read. A project has some hundred indexes.
    private static let byteCountMax = 16 << 20

    private static func tooLong(_ path: String) -> HearthError {
        HearthError(
            code: .invalidArgument,
            message: "The file of indexes \(path) has more than \(byteCountMax) bytes.")
    }

    private static func unreadable(_ path: String) -> HearthError {
        HearthError(
            code: .invalidArgument,
            message:
                "The file of indexes \(path) cannot be read: \(String(cString: strerror(errno)))."
        )
    }
}
