import HearthRPC

/// The body of a client's post: maps in order, and headers on the first post.
///
/// Shape: `headers=NAME:VALUE\r\n...&count=N&ofs=O&req0___data__=JSON&req1___data__=JSON`, encoded
/// as a form. The reader ignores other names.
struct WebChannelForm: Equatable, Sendable {
    /// How many maps the client had sent before these maps; `nil` if the body does not say.
    let offset: Int?
    /// The text of each map, in order.
    let maps: [String]
    /// `Name:Value` lines that stand for HTTP headers.
    let headers: String

    /// Why a body is no form.
    enum Fault: Error, Equatable {
        /// A `%` without two digits, or text that is no UTF-8.
        case unreadable
        /// `count` or `ofs` is no whole number from 0 on.
        case noNumber(name: String)
        /// `count` differs from the number of maps, or the maps' numbers have a gap.
        case otherCount(said: Int, found: Int)
    }

    private static let prefix = Array("req".utf8)
    private static let suffix = Array("___data__".utf8)

    /// Reads a body.
    init(_ body: [UInt8]) throws(Fault) {
        var count: Int?
        var offset: Int?
        var headers = ""
        var found: [(index: Int, text: String)] = []
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = HTTPTarget.decode(parts[0], plusIsSpace: true),
                let value = HTTPTarget.decode(
                    parts.count > 1 ? parts[1] : [], plusIsSpace: true)
            else { throw .unreadable }
            switch name {
            case "count": count = try Self.number(value, name)
            case "ofs": offset = try Self.number(value, name)
            case "headers": headers = value
            default:
                if let index = Self.index(ofMap: name) { found.append((index, value)) }
            }
        }
        found.sort { $0.index < $1.index }
        let isGapless = found.indices.allSatisfy { found[$0].index == $0 }
        guard isGapless, count == nil || count == found.count else {
            throw .otherCount(said: count ?? 0, found: found.count)
        }
        self.offset = offset
        self.maps = found.map(\.text)
        self.headers = headers
    }

    /// The value of a header among lines such as `Authorization:Bearer owner`.
    static func header(_ name: String, in lines: String) -> String? {
        for line in lines.utf8.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) {
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2, String(Substring(parts[0])).lowercased() == name.lowercased()
            else { continue }
            return String(Substring(parts[1].drop { $0 == UInt8(ascii: " ") }))
        }
        return nil
    }

    private static func index(ofMap name: String) -> Int? {
        let bytes = Array(name.utf8)
        guard bytes.starts(with: prefix), bytes.count > prefix.count + suffix.count,
            bytes.suffix(suffix.count).elementsEqual(suffix)
        else { return nil }
        return try? number(
            String(decoding: bytes[prefix.count..<bytes.count - suffix.count], as: UTF8.self), name)
    }

    private static func number(_ text: String, _ name: String) throws(Fault) -> Int {
        guard let number = Int(text), number >= 0 else { throw .noNumber(name: name) }
        return number
    }
}
