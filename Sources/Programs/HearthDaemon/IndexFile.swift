import Glibc
import HearthBackend
import HearthModel

/// A file of declared indexes, in the form of `firestore.indexes.json`.
enum IndexFile {
    /// Reads what is declared; without a file only the automatic indexes are.
    ///
    /// - Throws: `HearthError` that says what is wrong with the file.
    static func read(_ path: String?) throws(HearthError) -> IndexCatalog {
        guard let path else { return IndexCatalog() }
        guard let file = fopen(path, "re") else { throw unreadable(path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
            bytes += chunk[..<count]
        }
        guard ferror(file) == 0 else { throw unreadable(path) }
        return try IndexCatalog(file: bytes)
    }

    private static func unreadable(_ path: String) -> HearthError {
        HearthError(
            code: .invalidArgument,
            message:
                "The file of indexes \(path) cannot be read: \(String(cString: strerror(errno)))."
        )
    }
}
