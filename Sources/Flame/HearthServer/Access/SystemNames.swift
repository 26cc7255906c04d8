import Glibc

/// The users and groups of this machine, by their names.
enum SystemNames {
    /// What access rules may name.
    static var forRules: AccessRuleReader.Names {
        AccessRuleReader.Names(uid: uid(of:), gid: gid(of:))
    }

    /// The group of a user whom this machine does not know.
    static let nobodysGroup = UInt32.max

    /// The group of a user and all groups that the user is in; of an unknown user, a group that
    /// nobody has.
    ///
    /// May take long, where names come from the network.
    static func groups(ofUser uid: UInt32) -> (gid: UInt32, groups: [UInt32]) {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: byteCountMax)
        guard getpwuid_r(uid, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
            return (nobodysGroup, [])
        }
        var groups = [gid_t](repeating: 0, count: groupCountMax)
        var count = Int32(groups.count)
        guard getgrouplist(entry.pw_name, entry.pw_gid, &groups, &count) >= 0 else {
            return (entry.pw_gid, [])
        }
        return (entry.pw_gid, Array(groups.prefix(Int(count))))
    }

    /// The kernel's own limit of a process's groups.
    private static let groupCountMax = 65_536
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
