import Glibc

/// Processes of users other than the one who runs the tests.
enum OtherUser {
    private static let program = "/usr/bin/setpriv"

    /// Whether such processes can be started here.
    static let isPossible = geteuid() == 0 && access(program, X_OK) == 0

    /// What stands before a command, so that a user runs the command, with these further groups.
    static func launcher(uid: some BinaryInteger, gid: Int = 60_009, groups: Int...) -> [String] {
        let list = groups.map { "\($0)" }.joined(separator: ",")
        return [
            program, "--reuid=\(uid)", "--regid=\(gid)",
            groups.isEmpty ? "--clear-groups" : "--groups=\(list)",
        ]
    }
}
