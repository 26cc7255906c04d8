import HearthModel

/// Where a list goes on: after how many elements of the picture of which moment.
///
/// Shape: microseconds since 1970 i64 and count, each in hexadecimal, joined by a dot.
struct PageToken {
    let moment: Timestamp
    let offset: Int

    init(moment: Timestamp, offset: Int) {
        self.moment = moment
        self.offset = offset
    }

    /// Reads a token; `nil` for the empty one.
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

    /// One page of a list, and the token of the next if the page is full.
    ///
    /// - Parameter size: 0 or less for the usual size.
    static func page<Element>(
        of elements: [Element], from start: PageToken?, size: Int, usual: Int, at moment: Timestamp
    ) -> (elements: ArraySlice<Element>, next: String) {
        let offset = min(start?.offset ?? 0, elements.count)
        let page = elements[offset...].prefix(size > 0 ? size : usual)
        let isFull = page.count == (size > 0 ? size : usual)
        return (page, isFull ? PageToken(moment: moment, offset: page.endIndex).text : "")
    }
}
