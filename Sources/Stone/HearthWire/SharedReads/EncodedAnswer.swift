package import HearthModel
import HearthProtocol

/// The answer to a get of one document, as bytes: the fields are read when somebody asks for them.
package struct EncodedAnswer: Sendable {
    private let body: [UInt8]
    /// Where the document's bytes are; `nil` if there is no document.
    private let place: Range<Int>?
    /// Whether the backend may know better.
    package let isFromCache: Bool
    /// Whether the document contains writes that the backend has not confirmed.
    package let hasPendingWrites: Bool

    /// Reads all but the document from the body of an answer's frame. O(1) for a frame of the daemon.
    ///
    /// - Returns: `nil` if the bytes are no whole answer of one document or none.
    package init?(_ body: [UInt8]) {
        guard let outline = try? Outline(of: body) else { return nil }
        self.body = body
        place = outline.place
        isFromCache = outline.isFromCache
        hasPendingWrites = outline.hasPendingWrites
    }

    /// Whether there is a document.
    package var exists: Bool { place != nil }

    /// The document; `nil` if there is none, or its bytes cannot be read.
    package func document(_ key: DocumentKey, _ codec: WireCodec) -> Document? {
        read { bytes in
            var document = try codec.eventCodec().document(fromBytes: bytes, key: key)
            if hasPendingWrites { document.markLocalMutations() }
            return document
        }
    }

    /// The document's times, without a field; `nil` if there is no document, or it cannot be read.
    package func outline(_ key: DocumentKey, _ codec: WireCodec) -> Document? {
        read { bytes in
            var outline = try codec.eventCodec().outline(ofDocumentBytes: bytes, key: key)
            if hasPendingWrites { outline.markLocalMutations() }
            return outline
        }
    }

    /// The value at a path; `nil` if there is none. Reads no other field.
    package func value(at path: FieldPath, _ codec: WireCodec) -> Value? {
        guard let first = path.segments.first else { return nil }
        return read { bytes in
            guard let value = try codec.eventCodec().field(first, ofDocumentBytes: bytes) else {
                return nil
            }
            return MapValue([(first, value)])[path]
        }
    }

    private func read<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result?) -> Result? {
        guard let place else { return nil }
        return self.body.withUnsafeBytes { bytes in
            try? body(UnsafeRawBufferPointer(rebasing: bytes[place]))
        }
    }
}

extension EncodedAnswer {
    /// The fields of `Snapshot`, by the numbers of `hearth.proto`.
    private struct Outline {
        private struct NotWhole: Error {}

        var place: Range<Int>?
        var isFromCache = false
        var hasPendingWrites = false

        init(of body: [UInt8]) throws {
            self = try body.withUnsafeBytes { try Outline(of: $0) }
        }

        private init(of bytes: UnsafeRawBufferPointer) throws {
            var reader = WireReader(bytes)
            while let (number, kind) = try reader.next() {
                switch (number, kind) {
                case (3, .lengthDelimited):
                    guard place == nil else { throw NotWhole() }
                    try readDocument(reader.content(), in: bytes)
                case (5, .varint): isFromCache = try reader.varint() != 0
                // A difference from another snapshot, or a part.
                case (2, .varint), (8, .varint):
                    guard try reader.varint() == 0 else { throw NotWhole() }
                default: try reader.skip(kind)
                }
            }
        }

        private mutating func readDocument(
            _ listed: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer
        ) throws {
            guard let base = bytes.baseAddress else { return }
            var reader = WireReader(listed)
            while let (number, kind) = try reader.next() {
                switch (number, kind) {
                case (1, .lengthDelimited):
                    let content = try reader.content()
                    let start = content.baseAddress.map { $0 - base } ?? 0
                    place = start..<start + content.count
                case (2, .varint): hasPendingWrites = try reader.varint() != 0
                default: try reader.skip(kind)
                }
            }
            guard place != nil else { throw NotWhole() }
        }
    }
}
