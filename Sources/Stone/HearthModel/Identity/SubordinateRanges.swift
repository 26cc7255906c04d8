/// The Unix users who belong to other users, as `/etc/subuid` has them.
///
/// Shape: a line `OWNER:START:COUNT` for each range, where OWNER is a name or a number.
package struct SubordinateRanges: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        let uids: ClosedRange<UInt32>
        let owner: Owner
    }

    private struct Owner: Hashable, Sendable {
        let uid: UInt32
        /// Whether the name of the owner is a user's.
        let isKnown: Bool
    }

    /// More ranges are not read.
    private static let countMax = 10_000

    private var entries: [Entry] = []

    /// No user belongs to another.
    package init() {}

    /// Reads the ranges of a text; a line that gives none is passed over.
    ///
    /// The uids of an owner who is root or whom nobody knows belong to the first of the uids: root's rights to
    /// come in when it is full are for root alone.
    ///
    /// - Parameter uid: The number of a user of a name; `nil` if there is no such user.
    package init(_ text: String, uid: (String) -> UInt32?) {
        var owners: [UTF8Text: Owner] = [:]
        for line in text.utf8.split(separator: UInt8(ascii: "\n")).prefix(Self.countMax) {
            let parts = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 3, let start = UInt32(parts[1]), let count = UInt32(parts[2]),
                count > 0
            else { continue }
            let first = max(start, 1)  // Root belongs to nobody.
            let (end, isBeyond) = start.addingReportingOverflow(count - 1)
            let last = isBeyond ? UInt32.max : end
            guard first <= last else { continue }
            let name = UTF8Text(parts[0])
            let owner = owners[name] ?? Self.owner(UInt32(parts[0]) ?? uid(parts[0]), first)
            owners[name] = owner
            entries.append(Entry(uids: first...last, owner: owner))
        }
    }

    private static func owner(_ uid: UInt32?, _ first: UInt32) -> Owner {
        Owner(uid: uid.flatMap { $0 == 0 ? nil : $0 } ?? first, isKnown: uid != nil)
    }

    /// Whose a user is: the owner of the first range that has the user, else the user. O(ranges).
    package func owner(of uid: UInt32) -> UInt32 { found(uid)?.uid ?? uid }

    /// Whether a user belongs to an owner whose name was nobody's when the ranges were read. O(ranges).
    package func isOwnerUnknown(of uid: UInt32) -> Bool { found(uid)?.isKnown == false }

    /// Whether an owner's name was nobody's when the ranges were read. O(ranges).
    package var haveUnknownOwner: Bool { entries.contains { !$0.owner.isKnown } }

    private func found(_ uid: UInt32) -> Owner? {
        entries.first { $0.uids.contains(uid) }?.owner
    }
}
