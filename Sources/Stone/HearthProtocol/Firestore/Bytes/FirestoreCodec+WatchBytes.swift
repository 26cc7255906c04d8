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

    /// The document of a watch message that `watchChange` cannot read; `nil` unless the message names
    /// one document and targets for the document.
    ///
    /// A document may hold what only a later Firestore knows. The listeners of the targets that the
    /// message names must hear of the document, and no other listener.
    package func unreadDocument(fromBytes bytes: UnsafeRawBufferPointer) -> UnreadDocument? {
        do throws(CodecError) {
            var reader = WireReader(bytes)
            guard case (3, .lengthDelimited)? = try reader.next() else { return nil }
            var change = try reader.message()
            guard reader.isAtEnd else { return nil }
            var document: WireReader?
            var targets: [WireTargetID] = []
            while let (number, kind) = try change.next() {
                switch (number, kind) {
                case (1, .lengthDelimited): document = try change.message()
                case (5, _), (6, _): try Self.readTargets(kind, from: &change, into: &targets)
                default: try change.skip(kind)
                }
            }
            guard let document, !targets.isEmpty else { return nil }
            return UnreadDocument(name: Self.name(in: document), targets: targets)
        } catch {
            return nil
        }
    }

    /// The name of a document; `nil` if the name stands behind a part that cannot be read.
    private static func name(in document: WireReader) -> String? {
        do throws(CodecError) {
            var document = document
            while let (number, kind) = try document.next() {
                if number == 1, kind == .lengthDelimited { return try document.string() }
                try document.skip(kind)
            }
            return nil
        } catch {
            return nil
        }
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

/// The name of a document that came on the watch stream unreadable, and the targets that the message
/// named.
package struct UnreadDocument: Hashable, Sendable {
    /// The document's name as it came; `nil` if it cannot be read either.
    package let name: String?
    /// The targets whose results the document is in, or is in no more; at least one.
    package let targets: [WireTargetID]
}
