import Glibc

/// The device and the node of a file. No two files have the same pair at the same time.
///
/// A name may lead to another file at any time. Whoever keeps the identity of a file can tell whether a name
/// still leads to the file. Once a file is gone for good, a new file may get the same node.
package struct FileIdentity: Equatable, Sendable {
    private let device: dev_t
    private let node: ino_t

    /// The identity of an open file; `nil` with `errno` set, if the descriptor is none.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The identity of the file at a path; `nil` with `errno` set, if the path leads to no file.
    ///
    /// - Parameter followsLink: Whether a symbolic link at the path is followed. A link that is not followed
    ///   has an identity of its own.
    package init?(at path: String, followsLink: Bool) {
        var status = stat()
        let result = followsLink ? stat(path, &status) : lstat(path, &status)
        guard result == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = status.st_dev
        node = status.st_ino
    }
}
