/// How large the intake log of a store is.
///
/// A log begins small, since most stores are written seldom, and sixty-four large logs would take half
/// a gigabyte. A store whose small log is full before the database is synced makes a full log.
///
/// The log's salt tells the size: a log that somebody has cut is known by that. Programs that knew
/// only full logs drew any salt, so every other ending than `mark` means a full log.
package struct IntakeSize: Hashable, Sendable {
    /// How many bytes the log has.
    package let byteCount: Int
    private let isSmall: Bool

    /// The salt of a small log ends in these sixteen bits, and no other new salt does.
    private static let mark: UInt64 = 0x5A11
    private static let markMask: UInt64 = 0xFFFF

    /// The size of a full log.
    init(full byteCount: Int) {
        self.byteCount = byteCount
        isSmall = false
    }

    /// The size of the log that a store begins with, if a full log has so many bytes.
    init(smallBeside fullByteCount: Int) {
        byteCount = min(fullByteCount, StoreLimits.smallIntakeByteCount)
        isSmall = true
    }

    /// The size of a log with a salt, if a full log has so many bytes.
    package init(ofSalt salt: UInt64, full byteCount: Int) {
        self =
            salt & Self.markMask == Self.mark
            ? Self(smallBeside: byteCount) : Self(full: byteCount)
    }

    /// Draws a salt for a log of this size.
    func makeSalt() -> UInt64 {
        while true {
            let salt = UInt64.random(in: 1...UInt64.max)
            if isSmall { return salt & ~Self.markMask | Self.mark }
            if salt & Self.markMask != Self.mark { return salt }
        }
    }
}
