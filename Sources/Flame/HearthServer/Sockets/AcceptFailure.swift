import Glibc

/// Why a listening socket accepts nobody.
enum AcceptFailure: Equatable, Sendable {
    /// The daemon has as many descriptors open as it may.
    case noDescriptor
    /// All programs together have as many files open as the machine allows.
    case noFile
    /// The kernel has no memory for a connection.
    case noMemory
    /// The socket itself is at fault, by the error's number: no later attempt succeeds either.
    case broken(Int32)
    /// Something else, by the error's number, that may pass.
    case other(Int32)

    /// The failure of accept(2) with an error's number.
    init(code: Int32) {
        switch code {
        case EMFILE: self = .noDescriptor
        case ENFILE: self = .noFile
        case ENOMEM, ENOBUFS: self = .noMemory
        case EBADF, EINVAL, ENOTSOCK, EOPNOTSUPP: self = .broken(code)
        default: self = .other(code)
        }
    }

    /// What has happened, and what would help.
    var words: String {
        switch self {
        case .noDescriptor:
            "The daemon has as many descriptors open as it may, or none but the last, which are for "
                + "administrators. Raise LimitNOFILE of "
                + "hearthd.service (without systemd, ulimit -n) and restart the daemon, or lower "
                + "limits.clientCountMax."
        case .noFile:
            "All programs together have as many files open as the machine allows. Raise the "
                + "sysctl fs.file-max, or end the programs that have so many."
        case .noMemory:
            "The kernel has no memory for another connection. Raise MemoryMax of hearthd.service, "
                + "or end the programs that take the machine's memory."
        case .broken(let code):
            "The socket cannot be used any more (\(Self.text(of: code))), and no later attempt "
                + "will succeed. Stop the daemon and its socket units, and start them again."
        case .other(let code):
            "The kernel says: \(Self.text(of: code)). The daemon tries again by itself."
        }
    }

    private static func text(of code: Int32) -> String { String(cString: strerror(code)) }
}
