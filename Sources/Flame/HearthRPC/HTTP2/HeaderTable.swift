/// The fields that a block of headers names by a number: the fields of HPACK's own table, and the
/// fields of earlier blocks of the connection.
struct HeaderTable {
    /// A field, with the number of bytes that the client wrote. Mended text is longer, and the
    /// client counts its own bytes.
    struct Entry {
        let field: HeaderFields.Field
        let nameByteCount: Int
        let valueByteCount: Int

        /// The bytes of the field as HPACK counts them.
        var byteCount: Int { nameByteCount + valueByteCount + 32 }
    }

    /// The number of fields that every connection has.
    static let fixedCount = fixed.count

    /// How large the fields of earlier blocks may be together, as the client last chose it.
    private(set) var byteCountMax: Int
    private var byteCount = 0
    /// Fields of earlier blocks, the newest last.
    private var recent: [Entry] = []
    /// How many of `recent`, from its beginning, are gone.
    private var goneCount = 0

    /// A table without earlier fields.
    init(byteCountMax: Int) {
        self.byteCountMax = byteCountMax
    }

    /// The field of a number, from 1; `nil` if there is none.
    func entry(_ number: Int) -> Entry? {
        if number <= 0 { return nil }
        if number <= Self.fixedCount { return Self.fixed[number - 1] }
        let index = recent.count - (number - Self.fixedCount)
        return index >= goneCount ? recent[index] : nil
    }

    /// Adds a field, and drops the oldest fields until the table has room.
    ///
    /// A field that is larger than the table empties the table, as the rule is.
    mutating func add(_ entry: Entry) {
        byteCount += entry.byteCount
        recent.append(entry)
        dropOldest()
    }

    /// Changes how large the table may be.
    mutating func resize(to byteCountMax: Int) {
        self.byteCountMax = byteCountMax
        dropOldest()
    }

    private mutating func dropOldest() {
        while byteCount > byteCountMax {
            byteCount -= recent[goneCount].byteCount
            recent[goneCount] = Self.gone
            goneCount += 1
        }
        guard goneCount > 16, goneCount * 2 > recent.count else { return }
        recent.removeFirst(goneCount)
        goneCount = 0
    }

    /// What stands in the place of an entry that was dropped.
    private static let gone = Entry(
        field: HeaderFields.Field(name: "", value: ""), nameByteCount: 0, valueByteCount: 0)

    /// Source: RFC 7541, appendix A.
    private static let fixed: [Entry] = fixedFields.map { name, value in
        Entry(
            field: HeaderFields.Field(name: name, value: value), nameByteCount: name.utf8.count,
            valueByteCount: value.utf8.count)
    }

    private static let fixedFields: [(name: String, value: String)] = [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"),
        (":path", "/index.html"), (":scheme", "http"), (":scheme", "https"), (":status", "200"),
        (":status", "204"), (":status", "206"), (":status", "304"), (":status", "400"),
        (":status", "404"), (":status", "500"), ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""),
        ("accept", ""), ("access-control-allow-origin", ""), ("age", ""), ("allow", ""),
        ("authorization", ""), ("cache-control", ""), ("content-disposition", ""),
        ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
        ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""),
        ("date", ""), ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""),
        ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
        ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""),
        ("max-forwards", ""), ("proxy-authenticate", ""), ("proxy-authorization", ""),
        ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""), ("server", ""),
        ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""),
        ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
    ]
}
