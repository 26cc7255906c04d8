import Glibc

/// The program `hearthd`, which knows the stores.
enum DaemonProgram {
    /// Goes on as `hearthd`; returns only if there is none.
    ///
    /// - Parameters:
    ///   - words: The command line, from the program's name on.
    ///   - what: What only `hearthd` can do, for the message.
    static func execute(_ words: [String], to what: String) -> Failure {
        for program in programs where access(program, X_OK) == 0 {
            var arguments = words.map { strdup($0) }
            arguments.append(nil)
            execv(program, arguments)
            for argument in arguments { free(argument) }
        }
        return Failure(.failed, "hearthd is not installed, and only hearthd can \(what).")
    }

    /// Where `hearthd` may lie, the likeliest first.
    private static var programs: [String] {
        var path = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &path, path.count)
        let own = path.prefix(max(count, 0)).map(UInt8.init(bitPattern:))
        let folder = own.lastIndex(of: UInt8(ascii: "/")).map { own[..<$0] } ?? []
        let folders =
            [String(decoding: folder, as: UTF8.self)]
            + ["/usr/libexec/hearth", "/usr/local/libexec/hearth", "/usr/sbin", "/usr/bin"]
        return folders.map { $0 + "/hearthd" }
    }
}
