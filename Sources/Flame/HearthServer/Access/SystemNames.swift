import Glibc

/// The users and groups of this machine, by their names.
enum SystemNames {
    /// What access rules may name.
    static var forRules: AccessRuleReader.Names {
        AccessRuleReader.Names(uid: uid(of:), gid: gid(of:))
    }

    /// Enough for any entry that is not absurd.
    private static let byteCountMax = 65_536

    @Sendable private static func uid(of name: String) -> UInt32? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: byteCountMax)
        guard getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
            return nil
        }
        return entry.pw_uid
    }

    @Sendable private static func gid(of name: String) -> UInt32? {
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: byteCountMax)
        guard getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
            return nil
        }
        return entry.gr_gid
    }
}
