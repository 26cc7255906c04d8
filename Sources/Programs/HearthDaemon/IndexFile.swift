import CLinux
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
        let descriptor = clinux_open_input(path)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = Glibc.read(descriptor, &chunk, chunk.count), count != 0 {
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw unreadable(path) }
            bytes += chunk[..<count]
            guard bytes.count <= byteCountMax else { throw tooLong(path) }
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
