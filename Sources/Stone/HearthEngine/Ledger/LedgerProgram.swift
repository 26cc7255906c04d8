/// Who reads, as the ledger knows it: a Unix user, a unit and a program's name.
///
/// Two processes with the same three are one program to the ledger. The process's number does not count, so a program
/// that starts anew stays the same.
package struct LedgerProgram: Hashable, Sendable {
    /// The longest name of a program or a unit that the ledger keeps, in bytes; a longer one is cut.
    package static let nameByteCountMax = 64

    /// The Unix user; `nil` for the daemon itself, and for the programs of users that share one row.
    package let uid: UInt32?
    /// The unit of systemd; empty if there is none that lasts.
    package let unit: String
    /// The program's name, as the program says; empty if it says none.
    package let name: String

    /// The daemon itself: its markers, and what nobody asked for.
    package static let daemon = LedgerProgram(uid: nil, unit: "", name: "hearthd")
    /// Sessions whose program nobody told, as while the store could not be opened.
    package static let unknown = LedgerProgram(uid: nil, unit: "", name: "unknown")
    /// All programs of users beyond the bounds of the ledger's tables, together.
    package static let others = LedgerProgram(uid: nil, unit: "", name: othersName)
    private static let othersName = "others"

    /// The row that a program shares with the other programs of the same user beyond the user's bounds.
    ///
    /// - Parameter keepsUnit: Whether only programs of the same unit share the row.
    package func amongOthers(keepsUnit: Bool) -> LedgerProgram {
        uid == nil
            ? .others
            : LedgerProgram(uid: uid, unit: keepsUnit ? unit : "", name: Self.othersName)
    }

    /// Whether a budget concerns the program.
    package var hasBudget: Bool { self != .daemon && self != .unknown }

    /// Names a program by what the kernel and the program say.
    ///
    /// A unit counts if it is a service: the names of scopes and sessions are made for one run.
    package init(of writer: Writer) {
        let unit = writer.unit ?? ""
        self.init(
            uid: writer.uid, unit: unit.utf8.suffix(8).elementsEqual(".service".utf8) ? unit : "",
            name: writer.program ?? "")
    }

    /// Takes the parts, with all but printable ASCII replaced and what is too long cut.
    ///
    /// - Parameters:
    ///   - uid: The Unix user; `nil` for the daemon itself, and for the programs of users that
    ///     share one row.
    ///   - unit: The unit of systemd; empty if there is none that lasts.
    ///   - name: The program's name, as the program says; empty if it says none.
    package init(uid: UInt32?, unit: String, name: String) {
        self.uid = uid
        self.unit = LedgerText.plain(unit, byteCountMax: Self.nameByteCountMax)
        self.name = LedgerText.plain(name, byteCountMax: Self.nameByteCountMax)
    }
}

extension LedgerProgram: CustomStringConvertible {
    package var description: String {
        let name = name.isEmpty ? "unnamed" : name
        guard let uid else { return name }
        return unit.isEmpty ? "\(name) (uid \(uid))" : "\(name) (\(unit), uid \(uid))"
    }
}

/// Texts from outside, as the ledger's tables keep them.
package enum LedgerText {
    /// A text of printable ASCII. Any other byte becomes `?`. The call cuts a text that is too
    /// long.
    ///
    /// Equal texts then have equal bytes, so that a row in memory is a row on the disk.
    package static func plain(_ text: String, byteCountMax: Int) -> String {
        let bytes = text.utf8.prefix(byteCountMax)
        if bytes.count == text.utf8.count, bytes.allSatisfy(isPlain) { return text }
        return String(decoding: bytes.map { isPlain($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }
}
