package import HearthModel

extension FirestoreCodec {
    /// Reads one message of the watch stream from its bytes.
    ///
    /// Nearly all messages hold documents, which the codec reads straight; the rest go through
    /// generated messages.
    /// - Throws: As `decode(_: ProtoListenResponse)`.
    package func watchChange(
        fromBytes bytes: UnsafeRawBufferPointer
    ) throws(CodecError) -> WatchChange {
        var reader = WireReader(bytes)
        if case (3, .lengthDelimited)? = try reader.next() {
            let change = try reader.message()
            if reader.isAtEnd {
                return .document(try at("document_change", readDocumentChange(change)))
            }
        }
        return try decode(try Self.read(ProtoListenResponse.self, from: [UInt8](bytes)))
    }

    private func readDocumentChange(
        _ reader: WireReader
    ) throws(CodecError) -> DocumentWatchChange {
        var reader = reader
        var document: Document?
        var updated: [WireTargetID] = []
        var removed: [WireTargetID] = []
        while let (number, kind) = try reader.next() {
            switch (number, kind) {
            case (1, .lengthDelimited):
                let content = try reader.content()
                document = try at("document", self.document(fromBytes: content))
            case (5, _): try Self.readTargets(kind, from: &reader, into: &updated)
            case (6, _): try Self.readTargets(kind, from: &reader, into: &removed)
            default: try reader.skip(kind)
            }
        }
        guard let document else { throw CodecError(.missing, at: "document") }
        guard document.version != .zero else {
            throw CodecError(.missing, at: "document", "update_time")
        }
        return DocumentWatchChange(
            updated: updated, removed: removed, key: document.key, document: document)
    }

    /// Reads target ids; a message holds the ids singly or packed together.
    private static func readTargets(
        _ kind: WireReader.Kind, from reader: inout WireReader, into targets: inout [WireTargetID]
    ) throws(CodecError) {
        switch kind {
        case .varint:
            targets.append(WireTargetID(Int32(truncatingIfNeeded: try reader.varint())))
        case .lengthDelimited:
            var packed = try reader.message()
            while !packed.isAtEnd {
                targets.append(WireTargetID(Int32(truncatingIfNeeded: try packed.varint())))
            }
        case .fixed32, .fixed64, .groupStart, .groupEnd:
            try reader.skip(kind)
        }
    }
}
