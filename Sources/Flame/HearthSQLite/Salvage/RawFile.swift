import Glibc
import HearthEngine

/// A file that is only read, piece by piece, however damaged the file is.
package final class RawFile {
    /// How long the file is.
    package let byteCount: Int

    private let descriptor: Int32

    /// Opens a plain file; `nil` if there is none, or it cannot be opened.
    package init?(_ path: String) {
        descriptor = (try? PlainFile.open(path, O_RDONLY, refuse: StoreError.io)) ?? -1
        guard descriptor >= 0 else { return nil }
        var status = stat()
        byteCount = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether the file is missing or empty; false for a file that merely cannot be read.
    package static func isGone(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return errno == ENOENT }
        return status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
    }

    /// Bytes at a place; `nil` if the disk does not give all of them.
    package func bytes(_ count: Int, at place: Int) -> [UInt8]? {
        guard count >= 0, place >= 0, count <= byteCount, place <= byteCount - count else {
            return nil
        }
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let step = pread(
                    descriptor, buffer.baseAddress?.advanced(by: filled), count - filled,
                    off_t(place + filled))
                if step < 0, errno == EINTR { continue }
                guard step > 0 else {
                    isWhole = false
                    return
                }
                filled += step
            }
        }
        return isWhole ? bytes : nil
    }
}

/// Numbers as SQLite's files have them, with the highest byte first.
///
/// The caller makes sure that the bytes are there.
extension [UInt8] {
    /// Two bytes as a number.
    func big16(at place: Int) -> Int { Int(self[place]) << 8 | Int(self[place + 1]) }

    /// Four bytes as a number.
    func big32(at place: Int) -> Int { big16(at: place) << 16 | big16(at: place + 2) }
}
