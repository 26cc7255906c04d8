/// Documents as a table: a column for each field.
enum DocumentTable {
    /// The most fields with a column of their own; the others share the last column.
    static let fieldCountMax = 12
    /// The most characters of a cell.
    static let cellWidthMax = 40

    /// The columns of some documents, in the order in which the documents have the fields.
    ///
    /// - Complexity: O(fields of all documents).
    static func columns(of documents: [DocumentText]) -> [Column<DocumentText>] {
        let names = names(of: documents)
        let shown = names.prefix(fieldCountMax)
        let hidden = Set(names.dropFirst(fieldCountMax))
        return [
            Column("DOCUMENT") { $0.path },
            Column("STATE", tone: { _ in .warning }) { $0.state },
        ] + shown.map { column($0, of: documents) }
            + [Column("MORE", widthMax: cellWidthMax) { $0.rest(hidden) }]
    }

    /// A field's name by its bytes; `String` would take two names for one.
    fileprivate struct Name: Hashable {
        let bytes: [UInt8]

        init(_ text: String) { bytes = Array(text.utf8) }
    }

    private static func names(of documents: [DocumentText]) -> [Name] {
        var seen: Set<Name> = []
        return documents.flatMap { $0.fields?.fields ?? [] }.map { Name($0.name) }
            .filter { seen.insert($0).inserted }
    }

    private static func column(
        _ name: Name, of documents: [DocumentText]
    ) -> Column<DocumentText> {
        let text = String(decoding: name.bytes, as: UTF8.self)
        let title = "\(FieldPathText(names: [text]))"
        let areNumbers = documents.allSatisfy { $0.value(name)?.isNumber ?? true }
        let cell = { (document: DocumentText) in
            document.value(name).map { ValueWriter.write($0, as: .text) }
        }
        return areNumbers
            ? Column(number: title, widthMax: cellWidthMax, text: cell)
            : Column(title, widthMax: cellWidthMax, text: cell)
    }
}

extension DocumentText: ListRow {
    /// Columns that every document has; `DocumentTable` makes the columns of given documents.
    static var columns: [Column<DocumentText>] { DocumentTable.columns(of: []) }

    /// What is to be known besides the fields; `nil` for nothing.
    fileprivate var state: String? {
        if fields == nil { return "does not exist" }
        return hasPendingWrites ? "pending" : nil
    }

    fileprivate func value(_ name: DocumentTable.Name) -> ValueLiteral? {
        fields?.fields?.first { $0.name.utf8.elementsEqual(name.bytes) }?.value
    }

    /// The fields without a column, as a map.
    fileprivate func rest(_ names: Set<DocumentTable.Name>) -> String? {
        guard !names.isEmpty else { return nil }
        let rest = fields?.fields?.filter { names.contains(DocumentTable.Name($0.name)) } ?? []
        return rest.isEmpty ? nil : ValueWriter.write(.map(rest), as: .text)
    }
}

extension ValueLiteral {
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .double: true
        case .null, .boolean, .timestamp, .string, .bytes, .reference, .geoPoint, .vector, .array,
            .map, .order:
            false
        }
    }
}
