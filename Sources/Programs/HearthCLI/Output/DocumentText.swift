import Hearth

/// A document at one moment, as it is printed.
struct DocumentText: Hashable {
    /// Where it is.
    let path: String
    /// A map; `nil` if there is no document.
    let fields: ValueLiteral?
    /// Whether it contains writes that the backend has not confirmed.
    let hasPendingWrites: Bool
    /// Whether the backend may know better.
    let isFromCache: Bool

    /// Takes what is printed of a snapshot. Server timestamps that are pending show an estimate.
    init(_ snapshot: DocumentSnapshot) {
        path = snapshot.reference.path
        fields = snapshot.spelledData(with: .estimate).map { ValueLiteral($0) }
        hasPendingWrites = snapshot.metadata.hasPendingWrites
        isFromCache = snapshot.metadata.isFromCache
    }

    /// Takes the parts.
    init(path: String, fields: ValueLiteral?, hasPendingWrites: Bool, isFromCache: Bool) {
        self.path = path
        self.fields = fields
        self.hasPendingWrites = hasPendingWrites
        self.isFromCache = isFromCache
    }

    /// One line of JSON: path, exists, fields, isFromCache, hasPendingWrites.
    var report: Report {
        Report().with("path", path).with("exists", fields != nil).with("fields", fields ?? .null)
            .with("isFromCache", isFromCache).with("hasPendingWrites", hasPendingWrites)
    }

    /// What is known besides the fields, such as ` (from cache, pending)`.
    var remarks: String {
        Self.remarks(isFromCache: isFromCache, hasPendingWrites: hasPendingWrites)
    }

    /// The path, and a line for each field.
    var lines: [String] {
        guard let fields = fields?.fields else { return ["\(path) does not exist\(remarks)"] }
        return ["\(path)\(remarks)"]
            + fields.map {
                "  \(FieldPathText(names: [$0.name])): \(ValueWriter.write($0.value, as: .text))"
            }
    }

    /// The path and the fields.
    var line: String {
        let content = fields.map { ValueWriter.write($0, as: .text) } ?? "does not exist"
        return "\(path) \(content)\(hasPendingWrites ? " (pending)" : "")"
    }

    /// The words for two flags.
    static func remarks(isFromCache: Bool, hasPendingWrites: Bool) -> String {
        let words = (isFromCache ? ["from cache"] : []) + (hasPendingWrites ? ["pending"] : [])
        return words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"
    }
}
