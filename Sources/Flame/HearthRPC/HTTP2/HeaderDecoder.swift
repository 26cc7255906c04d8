/// Reads the blocks of headers of one connection, in their order, in the form of HPACK.
///
/// A client that calls often sends the same block each time, of numbers of the table alone. Such a
/// block is remembered with its fields and is not read again.
///
/// Source: RFC 7541.
struct HeaderDecoder {
    /// The longest block that is remembered.
    private static let keptByteCountMax = 256

    private let byteCountMax: Int
    private let tableByteCountMax: Int
    private var table: HeaderTable
    private var kept: (block: [UInt8], fields: HeaderFields, form: HeaderForm)?
    /// What the last block can be.
    private(set) var form = HeaderForm.plain
    private var hasTableChanged = false

    /// A decoder for a connection that begins.
    ///
    /// - Parameters:
    ///   - byteCountMax: How large the fields of one block may be, as HTTP/2 counts them.
    ///   - tableByteCountMax: How large a table the client may choose.
    init(byteCountMax: Int, tableByteCountMax: Int) {
        self.byteCountMax = byteCountMax
        self.tableByteCountMax = tableByteCountMax
        table = HeaderTable(byteCountMax: tableByteCountMax)
    }

    /// Reads a whole block.
    ///
    /// - Throws: `compressionError` for what is no block, `enhanceYourCalm` for fields that are too
    ///   large together. The decoder can read nothing after an error.
    mutating func decode(_ block: UnsafeRawBufferPointer) throws(HTTP2Fault) -> HeaderFields {
        if let kept, kept.block.count == block.count, kept.block.elementsEqual(block) {
            form = kept.form
            return kept.fields
        }
        hasTableChanged = false
        var reader = HeaderBlockReader(block)
        var fields = HeaderFields()
        fields.reserveCapacity(16)
        var byteCount = 0
        var resizeCount = 0
        while let first = reader.first {
            if first & 0xE0 == 0x20 {
                resizeCount += 1
                guard fields.isEmpty, resizeCount <= 2 else { throw .badHeaders }
                try resize(&reader)
                continue
            }
            let entry = try entry(&reader, first)
            byteCount += entry.byteCount
            guard byteCount <= byteCountMax else {
                throw HTTP2Fault(.enhanceYourCalm, "headers are larger than they may be")
            }
            fields.add(entry.field)
        }
        form = HeaderForm(fields)
        keep(block, fields)
        return fields
    }

    private mutating func keep(_ block: UnsafeRawBufferPointer, _ fields: HeaderFields) {
        if hasTableChanged {
            kept = nil
        } else if block.count <= Self.keptByteCountMax {
            kept = (Array(block), fields, form)
        }
    }

    private mutating func resize(_ reader: inout HeaderBlockReader) throws(HTTP2Fault) {
        let size = try reader.integer(prefix: 5)
        guard size <= tableByteCountMax else { throw .badHeaders }
        hasTableChanged = true
        table.resize(to: size)
    }

    private mutating func entry(
        _ reader: inout HeaderBlockReader, _ first: UInt8
    ) throws(HTTP2Fault) -> HeaderTable.Entry {
        if first & 0x80 != 0 {
            guard let entry = table.entry(try reader.integer(prefix: 7)) else { throw .badHeaders }
            return entry
        }
        let isRemembered = first & 0xC0 == 0x40
        let number = try reader.integer(prefix: isRemembered ? 6 : 4)
        let name: HeaderBlockReader.Text
        if number > 0 {
            guard let known = table.entry(number) else { throw .badHeaders }
            name = .init(content: known.field.name, byteCount: known.nameByteCount)
        } else {
            name = try reader.text()
            guard name.byteCount > 0 else { throw .badHeaders }
        }
        let value = try reader.text()
        let entry = HeaderTable.Entry(
            field: HeaderFields.Field(name: name.content, value: value.content),
            nameByteCount: name.byteCount, valueByteCount: value.byteCount)
        if isRemembered {
            hasTableChanged = true
            table.add(entry)
        }
        return entry
    }
}

extension HTTP2Fault {
    static let badHeaders = HTTP2Fault(
        .compressionError, "a block of headers is not what HPACK writes")
}
