import HearthModel

/// The place of a collection, which is also the query for all documents in it.
public final class CollectionReference: Query, @unchecked Sendable {  // As `Query`.
    private let resourcePath: ResourcePath

    init(firestore: Firestore, path: ResourcePath) {
        resourcePath = path
        super.init(firestore: firestore, model: HearthModel.Query(path: path), fault: nil)
    }

    /// The last name of the path.
    public var collectionID: String { resourcePath.last }

    /// The path below the database, such as `rooms/hall/lamps`.
    public var path: String { resourcePath.string }

    /// The document that holds the collection; `nil` for a collection at the top.
    public var parent: DocumentReference? {
        DocumentKey(resourcePath.parent).map {
            DocumentReference(firestore: firestore, key: $0)
        }
    }

    /// A new place in the collection, under a name made of 20 random letters and digits.
    public func document() -> DocumentReference {
        var random = SystemRandomNumberGenerator()
        return document(Self.randomID(using: &random))
    }

    /// A document by its path below the collection.
    ///
    /// The program stops if the path is no document's path.
    public func document(_ documentPath: String) -> DocumentReference {
        firestore.document("\(path)/\(documentPath)")
    }

    /// Makes a document under a random name; see `DocumentReference.setData`.
    ///
    /// - Throws: `FirestoreError` as `DocumentReference.setData`.
    @discardableResult
    public nonisolated(nonsending) func addDocument(
        data: [String: Any], until stage: WriteStage = .committed
    ) async throws -> DocumentReference {
        let document = document()
        try await document.setData(data, until: stage)
        return document
    }

    /// Makes a document under a random name, and calls `completion` when the backend has answered.
    @discardableResult
    public func addDocument(
        data: [String: Any], completion: (@Sendable ((any Error)?) -> Void)?
    ) -> DocumentReference {
        let document = document()
        document.setData(data, completion: completion)
        return document
    }

    /// A name of 20 letters and digits: about 119 bits of chance.
    static func randomID(using random: inout some RandomNumberGenerator) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<20).map { _ in alphabet[Int.random(in: 0..<62, using: &random)] })
    }
}
