import CLinux
import Glibc
import Hearth

/// Looks at the machine and the daemon, and fills in an `Examination`.
struct Examiner {
    /// How the daemon is found.
    let options: OperatorOptions
    /// How long the daemon and each backend may take.
    let patience: Duration

    /// Looks at everything. Never fails: the result names everything that the examiner could not
    /// find out.
    func examine() async -> Examination {
        let socketPath = options.socketPath
        let begun = ContinuousClock.now
        var examination = Examination(socketPath: socketPath)
        examination.isRoot = geteuid() == 0
        examination.user = Self.userName() ?? "user \(geteuid())"
        examination.socket = Self.socketState(socketPath, within: patience)
        examination.membership = Self.membership(of: examination.user)
        examination.isClockSynchronized = Self.isClockSynchronized()
        examination.disk = Self.disk(examination.storeFolder)
        guard examination.socket == .answers else { return examination }
        // Whoever waited for a place at the socket has waited for the daemon.
        let timeout = patience - (ContinuousClock.now - begun)
        guard timeout > .zero else {
            examination.isSilent = true
            return examination
        }
        do throws(Failure) {
            let session = try await OperatorSession.open(options, timeout: timeout)
            let rest = patience - (ContinuousClock.now - begun)
            let statuses = try await session.attempt("ask for the status", timeout: rest) {
                try await session.statuses()
            }
            examination.statuses = statuses
            let unreached = statuses.filter { $0.onlineState != .online && $0.isNetworkEnabled }
            for upstream in Set(unreached.map(\.upstream)) {  // Databases share backends.
                examination.reach[upstream] = Self.reach(upstream, within: patience)
            }
        } catch {
            examination.isSilent = error.status == .timedOut
            examination.statusProblem = "It does not tell how it is: \(error)"
        }
        return examination
    }

    private static func userName() -> String? {
        getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
    }

    private static func socketState(
        _ path: String, within patience: Duration
    ) -> Examination.Socket {
        do throws(Failure) {
            try Session.probe(path, patience: min(patience, Session.placePatience))
            return .answers
        } catch {
            if error.status == .noAccess { return .denied }
            // What is asked of the daemon then tells more.
            if error.status == .timedOut { return .answers }
            return access(path, F_OK) == 0 ? .refused : .missing
        }
    }

    private static func membership(of user: String) -> Examination.Membership {
        guard let group = getgrnam(Examination.group) else { return .noGroup }
        var groups = [gid_t](repeating: 0, count: 4_096)
        let count = getgroups(Int32(groups.count), &groups)
        if groups.prefix(Int(max(0, count))).contains(group.pointee.gr_gid) { return .member }
        var member = group.pointee.gr_mem
        while let name = member?.pointee {
            if String(cString: name) == user { return .memberAfterLogin }
            member = member?.advanced(by: 1)
        }
        return .stranger
    }

    /// Whether a time service keeps the clock right, as the kernel says; `nil` if unknown.
    private static func isClockSynchronized() -> Bool? {
        let answer = clinux_clock_is_synchronized()
        return answer < 0 ? nil : answer == 1
    }

    private static func disk(_ folder: String) -> (freeByteCount: Int, byteCount: Int)? {
        var state = statvfs()
        guard statvfs(folder, &state) == 0 else { return nil }
        let unit = Int(state.f_frsize)
        return (Int(state.f_bavail) * unit, Int(state.f_blocks) * unit)
    }

    // MARK: The backend

    /// Whether a connection to an address can be made from here, apart from what it would say.
    private static func reach(_ address: String, within patience: Duration) -> Examination.Reach? {
        guard !address.isEmpty, !address.hasPrefix("unix:") else { return nil }
        let (host, port) = parts(of: address)
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, port, &hints, &list) == 0 else { return .unknownHost }
        defer { freeaddrinfo(list) }
        let deadline = ContinuousClock.now + patience
        var problem = "no address"
        var next = list
        while let entry = next {
            guard let error = connectionProblem(entry.pointee, until: deadline) else {
                return .reached
            }
            problem = error
            next = entry.pointee.ai_next
        }
        return .failed(problem)
    }

    /// The host and the port of an address; an address without a port has the port of HTTPS.
    static func parts(of address: String) -> (host: String, port: String) {
        let isName = address.last == "]" || !address.contains(":")
        let colon = isName ? nil : address.lastIndex(of: ":")
        let host = address[..<(colon ?? address.endIndex)].drop { $0 == "[" }.prefix { $0 != "]" }
        let port = colon.map { address[address.index(after: $0)...].prefix { $0.isNumber } }
        return (String(host), port.map(String.init) ?? "443")
    }

    private static func connectionProblem(
        _ address: addrinfo, until deadline: ContinuousClock.Instant
    ) -> String? {
        let descriptor = socket(
            address.ai_family, address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        defer { close(descriptor) }
        if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return nil }
        guard errno == EINPROGRESS else { return String(cString: strerror(errno)) }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let rest = max(.zero, deadline - ContinuousClock.now)
        let milliseconds = Int32(min((rest / .milliseconds(1)).rounded(.up), Double(Int32.max)))
        guard poll(&waiting, 1, milliseconds) > 0 else {
            return String(cString: strerror(ETIMEDOUT))
        }
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout.size(ofValue: error))
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
        return error == 0 ? nil : String(cString: strerror(error))
    }
}
