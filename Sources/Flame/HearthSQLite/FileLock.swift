import Glibc
package import HearthEngine

/// The right of one process to a store. Held as long as the value lives.
///
/// SQLite would let a second daemon write in turn, and the engines of both would be wrong.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock.
    ///
    /// - Throws: `StoreError.locked` if another process has it.
    init(path: String) throws(StoreError) {
        let descriptor = try PlainFile.open(path, O_RDWR | O_CREAT, refuse: StoreError.io)
        guard descriptor >= 0 else { throw SystemErrors.error(errno, "opening \(path)") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            if code == EWOULDBLOCK { throw .locked(path) }
            throw SystemErrors.error(code, "locking \(path)")
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}

/// The right to the files of a closed store, for a caller that moves the files.
///
/// Held as long as the value lives.
package final class StoreLock: Sendable {
    private let lock: FileLock

    /// Takes the lock.
    ///
    /// - Throws: `StoreError.locked` if a process has the store open.
    package init(_ files: StoreFiles) throws(StoreError) {
        lock = try FileLock(path: files.lockPath)
    }
}
