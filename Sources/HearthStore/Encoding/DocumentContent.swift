import HearthFirestore
import HearthModel
import HearthProtocol

/// What is stored of a found document: `google.firestore.v1.Document` without its name, which the
/// row has already. Put `name` (field 1) before it, and a reply can carry it as it is.
struct DocumentReader: Sendable {
    private let codec: FirestoreCodec
    private let values: ValueReader

    /// Reads and writes documents of one database.
    init(database: DatabaseID) {
        codec = FirestoreCodec(database: database, mode: .wire)
        values = ValueReader(codec)
    }

    /// The bytes of a found document's content.
    ///
    /// - Throws: `StoreError.io` for values that no document can hold.
    func content(of document: Document) throws(StoreError) -> [UInt8] {
        do throws(CodecError) {
            var proto = try codec.encode(document)
            proto.name = ""
            return FirestoreCodec.bytes(of: proto)
        } catch {
            throw .io("\(document.key) cannot be stored: \(error)")
        }
    }

    /// Reads a found document.
    func document(_ key: DocumentKey, content: UnsafeRawBufferPointer) throws(StoreError)
        -> Document
    {
        var entries: [MapValue.Entry] = []
        var version = SnapshotVersion.zero
        var createdAt = SnapshotVersion.zero
        var cursor = ProtoCursor(content)
        while let tag = try cursor.tag() {
            switch (tag.field, tag.wireType) {
            case (2, 2):
                let entry = try ValueReader.entry(try cursor.bytes())
                let value = try values.value(entry.value)
                entries.append(.init(key: ValueReader.string(entry.key), value: value))
            case (3, 2): createdAt = .init(try ValueReader.timestamp(try cursor.bytes()))
            case (4, 2): version = .init(try ValueReader.timestamp(try cursor.bytes()))
            default: try cursor.skip(tag)
            }
        }
        return .found(key, at: version, MapValue(entries: entries), createdAt: createdAt)
    }

    /// Reads only some of a document's fields, which need not all be there.
    func fields(_ selection: FieldSelection, of content: UnsafeRawBufferPointer)
        throws(StoreError) -> MapValue
    {
        if selection.names.isEmpty { return .empty }
        var entries: [MapValue.Entry] = []
        var cursor = ProtoCursor(content)
        while let tag = try cursor.tag() {
            guard tag.field == 2, tag.wireType == 2 else {
                try cursor.skip(tag)
                continue
            }
            let entry = try ValueReader.entry(try cursor.bytes())
            guard let name = selection.name(entry.key) else { continue }
            entries.append(.init(key: name, value: try values.value(entry.value)))
            if entries.count == selection.names.count { break }
        }
        return MapValue(entries: entries)
    }
}

/// The fields of a document that a query needs to see, by the first segment of their paths.
struct FieldSelection: Sendable {
    /// The names, each once.
    let names: [String]
    private let bytes: [[UInt8]]

    /// Selects what lies at or below the paths.
    init(_ paths: some Sequence<FieldPath>) {
        let names = Set(paths.compactMap(\.segments.first).map(UTF8Text.init)).sorted()
        self.names = names.map(\.string)
        bytes = names.map { Array($0.string.utf8) }
    }

    /// The selected name with these bytes.
    func name(_ key: UnsafeRawBufferPointer) -> String? {
        for (index, name) in bytes.enumerated() where name.count == key.count {
            if name.elementsEqual(key) { return names[index] }
        }
        return nil
    }
}
