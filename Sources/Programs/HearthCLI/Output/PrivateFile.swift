import Glibc
import Synchronization

/// A file that only its owner may read, and that appears under its name when it is whole.
final class PrivateFile: Sendable {
    private let path: String
    private let descriptor: Int32
    private let isFinished = Atomic<Bool>(false)

    /// Where the file lies until it is whole.
    private var partPath: String { path + ".part" }

    /// Begins a file that will replace the file of the same name.
    ///
    /// - Throws: `Failure` if it cannot be made, or something that is no file has the name.
    init(_ path: String) throws(Failure) {
        try OutputFile.checkPlace(path)
        self.path = path
        unlink(path + ".part")  // Of a run that was killed.
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        descriptor = open(path + ".part", flags, 0o600)
        guard descriptor >= 0 else { throw OutputFile.failure(path + ".part") }
    }

    deinit {
        close(descriptor)
        if !isFinished.load(ordering: .relaxed) { unlink(partPath) }
    }

    /// Adds bytes.
    func append(_ bytes: [UInt8]) throws(Failure) {
        try OutputFile.write(bytes[...], to: descriptor, named: partPath)
    }

    /// Has the file last, under its name.
    func finish() throws(Failure) {
        guard fsync(descriptor) == 0, rename(partPath, path) == 0 else {
            throw OutputFile.failure(path)
        }
        isFinished.store(true, ordering: .relaxed)
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let folderDescriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folderDescriptor >= 0 else { return }
        fsync(folderDescriptor)
        close(folderDescriptor)
    }
}
