/// The content of a string of a source, and the place of each byte in the source.
///
/// A rule of the Realtime Database is the content of such a string. The rule's errors and coverage
/// name places in the file, which escapes have moved.
struct QuotedText: Sendable {
    /// The content, in UTF-8.
    private(set) var bytes: [UInt8] = []
    /// The offset of each byte in the source, and last the offset of the closing quote.
    private(set) var places: [Int] = []

    /// The content as a string; `nil` if it is no UTF-8.
    var string: String? { String(validating: bytes, as: UTF8.self) }

    /// Adds the content that a character or an escape of the source stands for.
    mutating func append(_ content: some Sequence<UInt8>, from place: Int) {
        for byte in content {
            bytes.append(byte)
            places.append(place)
        }
    }

    /// Ends the text at its closing quote.
    mutating func end(at place: Int) {
        places.append(place)
    }
}
