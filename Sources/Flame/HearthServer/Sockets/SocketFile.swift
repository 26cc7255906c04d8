import Glibc
package import HearthModel
import HearthSQLite

/// The file of a Unix socket: no client ever meets a half-made file, and we remove only our own.
package struct SocketFile: Sendable {
    /// The path of the file.
    package let path: String
    /// The most bytes that the path of a socket has, besides the zero at the end.
    private static let pathByteCountMax = MemoryLayout<sockaddr_un>.size - 3
    private let identity: FileIdentity

    /// Binds a listening socket and puts the socket at `path`, in the place of an abandoned socket.
    ///
    /// The socket gets its mode under a temporary name beside `path` and is then moved to `path`.
    /// So a client finds either the old socket or the finished new socket at every moment.
    ///
    /// - Parameters:
    ///   - path: Where clients find the socket.
    ///   - mode: The permissions of the file.
    ///   - backlog: Connections that may wait to be accepted.
    /// - Returns: The file, and the descriptor that listens on it.
    /// - Throws: `failedPrecondition` if another process serves `path`, or the file at `path` is no
    ///   socket; `unavailable` if the folder cannot be used.
    package static func bind(path: String, mode: UInt32, backlog: Int32 = 1_024) throws(HearthError)
        -> (file: SocketFile, descriptor: Int32)
    {
        try checkLength(path)
        try makeFolder(of: path)
        try checkNobodyServes(path)
        let temporary = temporaryPath(beside: path)
        unlink(temporary)
        let descriptor = try listen(at: temporary, mode: mode, backlog: backlog)
        guard rename(temporary, path) == 0,
            let identity = FileIdentity(at: path, followsLink: true)
        else {
            let reason = lastError()
            close(descriptor)
            unlink(temporary)
            throw HearthError(code: .unavailable, message: "Cannot make \(path): \(reason).")
        }
        return (SocketFile(path: path, identity: identity), descriptor)
    }

    /// A path in the same folder that no client looks for.
    ///
    /// The temporary path is no longer than the socket's own path if there is no room for more.
    private static func temporaryPath(beside path: String) -> String {
        let suffix = ".\(getpid())"
        guard path.utf8.count + suffix.utf8.count > pathByteCountMax else { return path + suffix }
        let name = path.utf8LastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        let kept = path.utf8.dropLast(suffix.utf8.count)
        guard name.utf8.count > suffix.utf8.count, let start = String(kept) else { return path }
        return start + suffix
    }

    /// The group and the permissions of a file; `nil` if they cannot be known.
    static func permissions(at path: String) -> (group: UInt32, mode: UInt32)? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return (status.st_gid, status.st_mode & 0o777)
    }

    /// Removes the file, unless another process has put its own there.
    package func remove() {
        guard FileIdentity(at: path, followsLink: true) == identity else { return }
        unlink(path)
    }

    /// A socket that listens at `path`, under its final name from the beginning, as with systemd.
    static func listen(at path: String, mode: UInt32, backlog: Int32) throws(HearthError)
        -> Int32
    {
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else {
            throw HearthError(code: .unavailable, message: "Cannot make a socket: \(lastError()).")
        }
        let isBound = try withAddress(path) { Glibc.bind(descriptor, $0, $1) == 0 }
        guard isBound, chmod(path, mode) == 0, Glibc.listen(descriptor, backlog) == 0 else {
            let reason = lastError()
            close(descriptor)
            unlink(path)
            throw HearthError(
                code: .unavailable, message: "Cannot listen at \(path): \(reason).")
        }
        return descriptor
    }

    /// Whether a descriptor that another process made is a socket.
    static func isSocket(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    private static func checkNobodyServes(_ path: String) throws(HearthError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw HearthError(
                code: .failedPrecondition,
                message: "\(path) is no socket. Move it away, or name another sockets.client.")
        }
        let probe = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
                | Int32(SOCK_NONBLOCK.rawValue), 0)
        defer { close(probe) }
        let isServed = try withAddress(path) { connect(probe, $0, $1) == 0 || errno == EAGAIN }
        if isServed {
            throw HearthError(
                code: .failedPrecondition,
                message: "Another process serves \(path). Stop it, or name another sockets.client.")
        }
    }

    private static func checkLength(_ path: String) throws(HearthError) {
        guard path.utf8.count > pathByteCountMax else { return }
        throw HearthError(
            code: .invalidArgument,
            message: "\(path) has \(path.utf8.count) bytes; a socket's path may have "
                + "\(pathByteCountMax).")
    }

    private static func makeFolder(of path: String) throws(HearthError) {
        guard let slash = path.utf8LastIndex(of: "/"), slash > path.startIndex else { return }
        let folder = String(path[..<slash])
        guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
            throw HearthError(
                code: .unavailable, message: "Cannot make the folder \(folder): \(lastError()).")
        }
    }

    private static func withAddress<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(HearthError) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        try checkLength(path)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// The error text of this thread's last system call.
func lastError() -> String { String(cString: strerror(errno)) }
