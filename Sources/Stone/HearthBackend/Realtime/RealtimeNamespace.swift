/// The name of one tree: the value of `ns` in an address, and the first label of a hosted
/// database's host name.
package struct RealtimeNamespace: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// How long a name may be: as long as a label of a host name.
    package static let byteCountMax = 63

    /// The name, in small letters.
    package let name: String

    /// Reads a name of letters, digits, `-` and `_`, and makes its letters small.
    ///
    /// - Returns: `nil` if the name is empty, too long, or has another character. Every name can
    ///   therefore stand in a file's name.
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
