/// What a string of a source says, and where in the source each byte of it stands.
///
/// A rule of the Realtime Database is the content of such a string. Its errors and its coverage name
/// places in the file, which escapes have moved.
struct QuotedText: Sendable {
    /// The content, in UTF-8.
    private(set) var bytes: [UInt8] = []
    /// The offset of each byte in the source, and last that of the closing quote.
    private(set) var places: [Int] = []

    /// The content as a string; `nil` if it is no UTF-8.
    var string: String? { String(validating: bytes, as: UTF8.self) }

    /// Adds what one character or one escape of the source stands for.
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
