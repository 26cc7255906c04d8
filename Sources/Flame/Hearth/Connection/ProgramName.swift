import Glibc

/// The program's name, which the daemon shows to people.
enum ProgramName {
    /// The executable's file name.
    static let current: String = {
        let path = CommandLine.arguments.first ?? ""
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) }
        return name ?? "process \(getpid())"
    }()
}
