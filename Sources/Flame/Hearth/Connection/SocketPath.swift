import Glibc

/// Where the library looks for the daemon's socket.
enum SocketPath {
    /// The socket of the machine's daemon.
    static let system = "/run/hearth/hearth.sock"

    /// The path of the daemon's socket, chosen by the environment and by the files that exist.
    ///
    /// - Parameters:
    ///   - environment: The value of a variable; `nil` if the variable is not set.
    ///   - exists: Whether there is a file at a path.
    static func find(environment: (String) -> String?, exists: (String) -> Bool) -> String {
        if let path = environment("HEARTH_SOCKET"), !path.isEmpty { return path }
        if exists(system) { return system }
        if let folder = environment("XDG_RUNTIME_DIR"), !folder.isEmpty {
            return "\(folder)/hearth/hearth.sock"
        }
        return system
    }

    /// A variable of this process's environment.
    static func environmentVariable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Whether there is a file.
    static func fileExists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }
}
