/// The name of one tree: what `ns` names in an address, and the first label of a hosted database's.
package struct RealtimeNamespace: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// How long a name may be: that of a label of a host.
    package static let byteCountMax = 63

    /// The name, in small letters.
    package let name: String

    /// Reads a name: letters, digits, `-` and `_`, of which letters are made small.
    ///
    /// - Returns: `nil` if it is empty, too long, or has another character; so it can stand in a
    ///   file's name.
    package init?(_ text: String) {
        let name = text.lowercased()
        guard !name.isEmpty, name.utf8.count <= Self.byteCountMax,
            name.utf8.allSatisfy(Self.isAllowed)
        else { return nil }
        self.name = name
    }

    package var description: String { name }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.name < rhs.name }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
