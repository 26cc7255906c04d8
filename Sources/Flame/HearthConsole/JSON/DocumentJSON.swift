import Hearth
package import HearthModel

/// Documents as JSON.
package enum DocumentJSON {
    /// A document, or its absence.
    ///
    /// - Parameter writers: Who wrote what waits; `nil` if that is not known.
    static func json(
        of key: DocumentKey, _ document: Document?, isFromCache: Bool, writers: [PendingBatch]?
    ) -> JSONValue {
        let json = json(of: key, document, isFromCache: isFromCache)
        guard json["hasPendingWrites"] == .boolean(true) else { return json }
        return json.adding(
            "writers", writers.map { .array($0.map { BatchJSON.json(of: $0.writer) }) } ?? .null)
    }

    /// A document, or its absence, without who wrote what waits.
    ///
    /// - Parameters:
    ///   - key: The document's name.
    ///   - document: The document; `nil` or a missing document for its absence.
    ///   - isFromCache: Whether the backend may know better.
    package static func json(
        of key: DocumentKey, _ document: Document?, isFromCache: Bool
    ) -> JSONValue {
        let document = document.flatMap { $0.exists ? $0 : nil }
        let updatedAt = document.flatMap { $0.version == .zero ? nil : $0.version.timestamp }
        return .members([
            "path": .string(key.path.string), "id": .string(key.path.last),
            "exists": .boolean(document != nil),
            "fields": ValueJSON.json(of: document?.fields ?? .empty),
            "updateTime": .text(updatedAt?.description),
            "hasPendingWrites": .boolean(document?.hasPendingWrites ?? false),
            "isFromCache": .boolean(isFromCache),
        ])
    }
}
