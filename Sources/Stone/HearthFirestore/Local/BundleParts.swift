import HearthModel

/// A bundle that comes in parts, and how far it has come.
///
/// Only what tells documents apart is looked at here; `BundleReader` reads and checks the whole.
package struct BundleParts: Sendable {
    /// All that has come.
    package private(set) var bytes: [UInt8] = []
    private var totals: (documentCount: Int, byteCount: Int)?
    /// Behind the last element that has come whole.
    private var offset = 0
    private var elementCount = 0
    /// Documents that have come whole, missing ones too.
    private var documentCount = 0
    /// Where the elements after the first begin.
    private var start: Int?

    /// Nothing has come.
    package init() {}

    /// Takes the next part. O(part), on the whole.
    package mutating func append(_ part: some Sequence<UInt8>) {
        bytes += part
        while let element = nextElement() { take(element) }
    }

    /// How much has come whole, without the first element.
    ///
    /// The engine stores all documents at once, at the end.
    package var progress: BundleProgress {
        let loaded = start.map { offset - $0 } ?? 0
        return BundleProgress(
            documentsLoaded: documentCount, totalDocuments: totals?.documentCount ?? 0,
            bytesLoaded: loaded,
            totalBytes: totals?.byteCount ?? bytes.count)
    }

    /// The next element that has come whole; `nil` if there is none, or no element at all.
    private mutating func nextElement() -> Range<Int>? {
        var place = offset
        var length = 0
        while place < bytes.count, let digit = Self.digit(bytes[place]), length < 1 << 40 {
            length = length * 10 + digit
            place += 1
        }
        guard place > offset, place < bytes.count, length > 0, length <= bytes.count - place else {
            return nil
        }
        offset = place + length
        return place..<offset
    }

    private mutating func take(_ element: Range<Int>) {
        elementCount += 1
        if elementCount == 1 {
            start = element.upperBound
            totals = BundleReader.totals(in: Array(bytes[..<element.upperBound]))
            return
        }
        guard let name = firstName(in: element) else { return }
        if utf8Equals(name, "document") {
            documentCount += 1
        } else if utf8Equals(name, "documentMetadata") {
            let json = try? JSONReader.read(Array(bytes[element]))
            // A document that exists follows by itself.
            if json?["documentMetadata"]?["exists"]?.boolean != true { documentCount += 1 }
        }
    }

    /// The name of the first member of an object.
    private func firstName(in element: Range<Int>) -> String? {
        let quote = UInt8(ascii: "\"")
        guard let first = bytes[element].firstIndex(of: quote),
            let last = bytes[(first + 1)..<element.upperBound].firstIndex(of: quote)
        else { return nil }
        return String(decoding: bytes[(first + 1)..<last], as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte - UInt8(ascii: "0")) : nil
    }
}
