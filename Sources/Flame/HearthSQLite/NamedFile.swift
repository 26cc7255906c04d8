import Glibc
import HearthEngine

/// A file that is open under a name, to notice when somebody takes the file's name away.
///
/// A process writes on to a removed file without an error, and what it writes is gone when the process
/// ends.
struct NamedFile: Sendable {
    private let path: String
    private let identity: FileIdentity

    /// Takes note of the file that has a name now.
    ///
    /// - Throws: `StoreError.io` if there is none.
    init(at path: String) throws(StoreError) {
        guard let identity = FileIdentity(at: path, followsLink: true) else {
            throw SystemErrors.error(errno, "looking at \(path)")
        }
        self.path = path
        self.identity = identity
    }

    /// Refuses to go on if the file was removed or moved away, or another file has its name.
    ///
    /// - Throws: `StoreError.io`, with advice.
    /// - Complexity: One system call.
    func expectName() throws(StoreError) {
        if let found = FileIdentity(at: path, followsLink: true) {
            if found == identity { return }
        } else if errno != ENOENT, errno != ENOTDIR {
            return  // Nothing tells that the file is gone.
        }
        throw .io(
            "\(path) was removed or replaced while this program had it open, so nothing that is "
                + "written now would outlast the program: end the program, put the file and its logs "
                + "back if they are to be kept, and start the program again")
    }
}
