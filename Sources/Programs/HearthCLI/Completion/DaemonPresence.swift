import Glibc

/// Whether a daemon runs behind a socket, found out without a connection.
///
/// systemd holds the sockets of Hearth's units, and starts the daemon for whoever connects. A person
/// who presses a key in a shell must not start a daemon.
enum DaemonPresence {
    /// The folder that the machine's service has while it runs; see its `RuntimeDirectory=`.
    private static let systemFolder = "/run/hearthd"
    /// Commands of `hearthd` that are no daemon.
    private static let otherCommands: Set = ["emulate", "unsent", "restore", "fork"]

    /// Whether a connection to a socket starts nothing.
    ///
    /// - Parameter path: The socket's; if nothing is there, nothing is started.
    static func mayBeAsked(at path: String) -> Bool {
        guard let resolved = realpath(path, nil) else { return false }
        defer { free(resolved) }
        guard exists("/run/systemd/system") else { return true }
        let path = String(cString: resolved)
        if path.hasPrefix("/run/hearth/") { return exists(systemFolder) || runs(for: 0) }
        let folder = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }
        guard let folder, !folder.isEmpty, path.hasPrefix("\(folder)/hearth/") else { return true }
        return runs(for: getuid())
    }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether a process of a user is a daemon.
    ///
    /// - Complexity: O(processes).
    private static func runs(for user: uid_t) -> Bool {
        guard let folder = opendir("/proc") else { return false }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                stat("/proc/\(name)", &status) == 0, status.st_uid == user,
                isDaemon(commandLine: words(of: "/proc/\(name)/cmdline"))
            else { continue }
            return true
        }
        return false
    }

    /// Whether a process with these arguments is a daemon.
    static func isDaemon(commandLine: [String]) -> Bool {
        guard let program = commandLine.first?.utf8.split(separator: UInt8(ascii: "/")).last,
            program.elementsEqual("hearthd".utf8)
        else { return false }
        return commandLine.count < 2 || !otherCommands.contains(commandLine[1])
    }

    private static func words(of path: String) -> [String] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(file, &bytes, bytes.count)
        return bytes.prefix(max(0, count)).split(separator: 0)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
