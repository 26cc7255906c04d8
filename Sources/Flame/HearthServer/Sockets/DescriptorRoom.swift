import Glibc

/// How many descriptors the process may have open, and whether the last descriptors are left.
///
/// The last descriptors are for root and administrators. The kernel gives out the lowest free number, so
/// the number of a new connection tells how many descriptors are open at least.
struct DescriptorRoom: Sendable {
    /// So many descriptors are kept at most.
    private static let keptCountMax = 32
    /// Of so many descriptors one is kept.
    private static let keptPart = 8

    /// The first number of the descriptors that are kept.
    private let keptFrom: Int

    /// The room of a process that may have so many descriptors open.
    init(countMax: Int) {
        keptFrom = countMax - min(Self.keptCountMax, countMax / Self.keptPart)
    }

    /// The room of this process.
    ///
    /// The kernel keeps two limits. The process may raise the soft limit up to the hard limit; mostly the
    /// soft limit is 1,024, for the sake of programs that use select(2), and the hard limit far above.
    static let ofProcess: DescriptorRoom = {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return DescriptorRoom(countMax: .max)
        }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 {
                limit = raised
            }
        }
        return DescriptorRoom(countMax: Int(clamping: limit.rlim_cur))
    }()

    /// Whether a new descriptor is one of the kept descriptors.
    func isKept(_ descriptor: Int32) -> Bool { Int(descriptor) >= keptFrom }

    /// Why a client who is no administrator could not come in now; `nil` if such a client could.
    ///
    /// - Parameter descriptor: An open descriptor. For a moment there is a copy of the descriptor: the
    ///   kernel numbers copies as it numbers connections.
    func failure(copying descriptor: Int32) -> AcceptFailure? {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return AcceptFailure(code: errno) }
        defer { close(copy) }
        return isKept(copy) ? .noDescriptor : nil
    }
}
