import HearthEngine
import HearthFirestore
import HearthSQLite

/// What a row of `remote_documents` says of its document.
enum DocumentKind: Int64 {
    case missing = 1
    case found = 2
    case unknown = 3
    /// A target names it, and nothing else is known.
    case invalid = 4
}

/// The row of a document, or that there is none.
struct DocumentRow: Hashable {
    /// There is no row.
    static let absent = DocumentRow(id: 0, kind: nil)

    /// The row's id; 0 for none.
    let id: Int64
    /// What it says; `nil` for no row.
    let kind: DocumentKind?

    /// Notes a row.
    init(id: Int64, kind: DocumentKind?) {
        self.id = id
        self.kind = kind
    }

    /// Notes a row as it was read.
    init(id: Int64, storedKind: Int64) throws(StoreError) {
        guard let kind = DocumentKind(rawValue: storedKind) else {
            throw .damaged("the kind of a document")
        }
        self.init(id: id, kind: kind)
    }
}
