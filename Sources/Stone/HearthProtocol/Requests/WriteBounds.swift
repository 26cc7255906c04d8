package import HearthModel

/// How much a request of writes may hold, found out before the request is read.
///
/// A field of two bytes becomes a value in memory that is a hundred times as large, and a few
/// kilobytes of gzip hold millions of such fields. A document of the backend has at most a MiB, and
/// each of its fields and elements takes a byte or more. So no document has more fields
/// and elements than the bound, and no reader of a request sees more.
package enum WriteBounds {
    /// Fields and elements of one document, at all depths.
    package static let documentElementCountMax = 1 << 20
    /// Writes of a request, and transforms of one write.
    package static let writeCountMax = RequestDatabase.fieldCountMax

    /// The requests that have writes.
    package enum Request: Sendable {
        /// `CommitRequest`, `BatchWriteRequest`.
        case commit
        /// `WriteRequest`, a message of a stream.
        case write
        /// `CreateDocumentRequest`.
        case createDocument
        /// `UpdateDocumentRequest`.
        case updateDocument
    }

    /// Checks a request of any shape. Bytes that are no such request pass: the reader of the
    /// request refuses them.
    ///
    /// - Throws: `invalidArgument` for a request with too much in it.
    /// - Complexity: O(fields at all depths), up to the bounds.
    package static func check(
        _ bytes: UnsafeRawBufferPointer, of request: Request
    ) throws(HearthError) {
        // Nothing takes less than two bytes.
        guard bytes.count / 2 > writeCountMax else { return }
        var counter = Counter()
        do {
            switch request {
            case .commit: try counter.writes(WireReader(bytes), at: 2)
            case .write: try counter.writes(WireReader(bytes), at: 3)
            case .createDocument: try counter.document(WireReader(bytes), at: 4)
            case .updateDocument: try counter.document(WireReader(bytes), at: 1)
            }
        } catch let error as HearthError {
            throw error
        } catch {}
    }
}

/// Counts what is in a request.
private struct Counter {
    /// Values nested deeper are read by nobody.
    private static let depthMax = 100

    private var elementCount = 0

    /// Shape: writes at `field`, repeated.
    mutating func writes(_ message: WireReader, at field: UInt64) throws {
        var count = 0
        try each(of: message) { counter, number, content in
            guard number == field else { return }
            count += 1
            guard count <= WriteBounds.writeCountMax else { throw HearthError.tooManyWrites }
            try counter.write(content)
        }
    }

    /// Shape: a document at `field`.
    mutating func document(_ message: WireReader, at field: UInt64) throws {
        try each(of: message) { counter, number, content in
            if number == field { try counter.document(content) }
        }
    }

    /// Shape: update 1 | update_mask 3 | transform 6 | update_transforms 7, repeated.
    private mutating func write(_ message: WireReader) throws {
        var count = 0
        var transformedCount = 0
        try each(of: message) { counter, number, content in
            counter.elementCount = 0
            switch number {
            case 1: try counter.document(content)
            case 3, 6: try counter.transforms(content)
            case 7:
                count += 1
                guard count <= WriteBounds.writeCountMax else { throw HearthError.tooManyWrites }
                counter.elementCount = transformedCount
                try counter.transform(content)
                transformedCount = counter.elementCount
            default: break
            }
        }
    }

    /// Shape: document 1 | field_transforms 2, repeated; or the paths of a mask.
    private mutating func transforms(_ message: WireReader) throws {
        try each(of: message) { counter, number, content in
            try counter.countElement()
            if number == 2 { try counter.transform(content) }
        }
    }

    /// Shape: append_missing_elements 6 or remove_all_from_array 7, an array; others have a value.
    private mutating func transform(_ message: WireReader) throws {
        try each(of: message) { counter, number, content in
            if number == 6 || number == 7 { try counter.array(content, depth: 0) }
        }
    }

    /// Shape: name 1 | fields 2, repeated.
    private mutating func document(_ message: WireReader) throws {
        try each(of: message) { counter, number, content in
            if number == 2 { try counter.entry(content, depth: 0) }
        }
    }

    /// Shape: key 1 | value 2.
    private mutating func entry(_ message: WireReader, depth: Int) throws {
        try countElement()
        try each(of: message) { counter, number, content in
            if number == 2 { try counter.value(content, depth: depth) }
        }
    }

    /// Shape: map 6 or array 9; others have nothing inside.
    private mutating func value(_ message: WireReader, depth: Int) throws {
        guard depth <= Self.depthMax else { return }
        try each(of: message) { counter, number, content in
            switch number {
            case 6:
                try counter.each(of: content) { counter, number, content in
                    if number == 1 { try counter.entry(content, depth: depth + 1) }
                }
            case 9: try counter.array(content, depth: depth + 1)
            default: break
            }
        }
    }

    /// Shape: values 1, repeated.
    private mutating func array(_ message: WireReader, depth: Int) throws {
        try each(of: message) { counter, number, content in
            guard number == 1 else { return }
            try counter.countElement()
            try counter.value(content, depth: depth)
        }
    }

    private mutating func countElement() throws {
        elementCount += 1
        guard elementCount <= WriteBounds.documentElementCountMax else {
            throw HearthError.tooManyElements
        }
    }

    /// Does something with each message in a message.
    private mutating func each(
        of message: WireReader,
        _ body: (inout Counter, _ number: UInt64, _ content: WireReader) throws -> Void
    ) throws {
        var message = message
        while let (number, kind) = try message.next() {
            if kind == .lengthDelimited {
                try body(&self, number, try message.message())
            } else {
                try message.skip(kind)
            }
        }
    }
}

extension HearthError {
    fileprivate static let tooManyWrites = HearthError.argument(
        "The request has more than \(WriteBounds.writeCountMax) writes, or a write as many "
            + "transforms. Send it in parts.")
    fileprivate static let tooManyElements = HearthError.argument(
        "A document of the request has more than \(WriteBounds.documentElementCountMax) fields and "
            + "elements, and so more bytes than a document may have.")
}
