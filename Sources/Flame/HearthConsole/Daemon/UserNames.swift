import Glibc

/// The names of the machine's users.
enum UserNames {
    /// Bytes that the system may need for one user's entry.
    private static let entryByteCountMax = 16 * 1_024

    /// The user who started the console.
    static var own: UInt32 { geteuid() }

    /// The name of a user; `nil` if the machine knows none.
    static func name(of uid: UInt32) -> String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: entryByteCountMax)
        guard getpwuid_r(uid, &entry, &buffer, buffer.count, &found) == 0, found != nil,
            let name = entry.pw_name
        else { return nil }
        return String(cString: name)
    }
}
