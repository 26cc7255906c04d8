import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol

/// Reads and writes the stored content of a found document.
///
/// The content leaves out the document's name, because the row has the name already. The first byte
/// tells the encoding (`DocumentEncoding`).
struct DocumentReader: Sendable {
    private let codec: FirestoreCodec

    /// Reads and writes documents of one database.
    init(database: DatabaseID) {
        codec = FirestoreCodec(database: database, mode: .wire)
    }

    /// The bytes of a found document's content, as a message.
    ///
    /// - Throws: `StoreError.io` for values that no document can hold.
    func content(of document: Document) throws(StoreError) -> [UInt8] {
        do throws(CodecError) {
            return try codec.documentBytes(document, includesName: false)
        } catch {
            throw .io("\(document.key) cannot be stored: \(error)")
        }
    }

    /// Reads a found document.
    func document(_ key: DocumentKey, content: UnsafeRawBufferPointer) throws(StoreError)
        -> Document
    {
        switch try DocumentEncoding(of: content) {
        case .message:
            do throws(CodecError) {
                return try codec.document(fromBytes: content, key: key)
            } catch {
                throw .damaged("\(key): \(error)")
            }
        }
    }

    /// Reads a found document without its fields.
    func outline(_ key: DocumentKey, content: UnsafeRawBufferPointer) throws(StoreError)
        -> Document
    {
        switch try DocumentEncoding(of: content) {
        case .message:
            do throws(CodecError) {
                return try codec.outline(ofDocumentBytes: content, key: key)
            } catch {
                throw .damaged("\(key): \(error)")
            }
        }
    }

    /// Reads only some of a document's fields, which need not all be there.
    func fields(_ selection: FieldSelection, of content: UnsafeRawBufferPointer)
        throws(StoreError) -> MapValue
    {
        switch try DocumentEncoding(of: content) {
        case .message:
            do throws(CodecError) {
                return try codec.fields(selection, ofDocumentBytes: content)
            } catch {
                throw .damaged(error.description)
            }
        }
    }
}
