import HearthEngine

/// How the content of a stored document is encoded, as its first byte tells.
///
/// Shape: no field of a message has the number 0, so a first byte of 8 or more is the tag of a field of
/// `google.firestore.v1.Document`, as in every row that an earlier program wrote; so is content without
/// bytes. A first byte below 8 is the mark of another encoding, whose bytes follow it. No mark is taken yet;
/// who takes one adds a case here and a step to the schema, so that no earlier program opens the file.
enum DocumentEncoding: Hashable {
    /// `google.firestore.v1.Document` without its name.
    case message

    /// Below this a first byte is a mark.
    private static let markCount: UInt8 = 8

    /// Tells the encoding of a document's content.
    ///
    /// - Throws: `StoreError.damaged` for a mark that no program of this schema has written.
    init(of content: UnsafeRawBufferPointer) throws(StoreError) {
        if let mark = content.first, mark < Self.markCount {
            throw .damaged("a document in encoding \(mark), which no program of this schema writes")
        }
        self = .message
    }
}
