import HearthModel
import HearthProtocol

/// The place at which a list goes on: a count of elements, and the moment of the first page's read.
///
/// Shape: microseconds since 1970 i64 and count, each in hexadecimal, joined by a dot.
struct PageToken {
    let moment: Timestamp
    let offset: Int

    init(moment: Timestamp, offset: Int) {
        self.moment = moment
        self.offset = offset
    }

    /// Reads a token; `nil` for an empty text.
    ///
    /// - Throws: `invalidArgument` for a text that is no token.
    init?(_ text: String) throws(HearthError) {
        if text.isEmpty { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let microseconds = Int64(parts[0], radix: 16),
            let offset = Int(parts[1], radix: 16), offset >= 0
        else { throw .argument("invalid page token") }
        self.moment = Timestamp(microseconds: microseconds)
        self.offset = offset
    }

    var text: String {
        "\(String(moment.microseconds, radix: 16)).\(String(offset, radix: 16))"
    }

    /// One page of a list, and the next page's token if this page is full.
    ///
    /// - Parameters:
    ///   - start: The token of the page; `nil` for the first page.
    ///   - size: The size that the request names; 0 or less for the usual size.
    ///   - usual: The usual size.
    ///   - moment: The moment of the read, for the next token.
    static func page<Element>(
        of elements: [Element], from start: PageToken?, size: Int, usual: Int, at moment: Timestamp
    ) -> (elements: ArraySlice<Element>, next: String) {
        let offset = min(start?.offset ?? 0, elements.count)
        let page = elements[offset...].prefix(size > 0 ? size : usual)
        let isFull = page.count == (size > 0 ? size : usual)
        return (page, isFull ? PageToken(moment: moment, offset: page.endIndex).text : "")
    }
}
