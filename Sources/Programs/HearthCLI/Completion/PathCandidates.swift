import Hearth

/// The paths in this machine's cache that continue a path by one name.
///
/// A path that leads further ends in a slash: if a document is wanted, the collection `rooms/` leads to documents.
struct PathCandidates {
    private let firestore: Firestore
    private let subject: CompletionSubject
    private let countMax: Int

    /// Knows whom to ask, and for what.
    ///
    /// - Parameters:
    ///   - subject: `document`, `collection` or `path`.
    ///   - countMax: How many candidates at most.
    init(_ firestore: Firestore, of subject: CompletionSubject, countMax: Int) {
        self.firestore = firestore
        self.subject = subject
        self.countMax = countMax
    }

    /// The candidates, in the order of their names.
    nonisolated(nonsending) func list(beginningWith typed: String) async throws -> [String] {
        let (parent, start) = Self.parts(of: typed)
        guard let path = PathText(parent) else {
            return parent.isEmpty || parent == "/" ? try await collections(parent, nil, start) : []
        }
        return path.isDocument
            ? try await collections(parent, path, start)
            : try await documents(parent, path, start)
    }

    /// Divides a typed path at the last slash: the part up to the slash, and the part behind.
    static func parts(of typed: String) -> (parent: String, start: String) {
        let utf8 = typed.utf8
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", typed) }
        let end = utf8.index(after: slash)
        return (
            String(decoding: utf8[..<end], as: UTF8.self),
            String(decoding: utf8[end...], as: UTF8.self)
        )
    }

    private nonisolated(nonsending) func collections(
        _ parent: String, _ document: PathText?, _ start: String
    ) async throws -> [String] {
        let names = try await firestore.cachedNames(
            below: document?.description, beginningWith: start, countMax: countMax)
        return names.map { parent + $0 + (subject == .document ? "/" : "") }
    }

    private nonisolated(nonsending) func documents(
        _ parent: String, _ collection: PathText, _ start: String
    ) async throws -> [String] {
        // Documents with collections below them; such a document need not exist.
        let above = try await firestore.cachedNames(
            below: collection.description, beginningWith: start, countMax: countMax)
        if subject == .collection { return above.map { parent + $0 + "/" } }
        var query = try firestore.validatedCollection(collection.description)
            .order(by: FieldPath.documentID()).limit(to: countMax)
        if !start.isEmpty { query = query.start(at: [start]) }
        // The cache alone is asked: a key that is pressed reads nothing that costs.
        let found = try await query.getDocuments(source: .cache).documents.map(\.documentID)
        let names = (found + above).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return names.map { parent + $0 }
    }
}
