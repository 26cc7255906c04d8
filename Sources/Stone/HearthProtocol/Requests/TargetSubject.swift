package import HearthModel

/// What a target of a watch stream asks to be told of.
package enum TargetSubject: Sendable {
    /// The results of a query.
    case query(StructuredQuery)
    /// Documents by name, as often as the target names them.
    case documents([DocumentKey])
}

extension RequestReader {
    /// Reads what a target asks for.
    ///
    /// - Throws: `HearthError` for a target that the backend refuses, or that is of another database.
    package func subject(of proto: ProtoTarget) throws(HearthError) -> TargetSubject {
        switch proto.targetType {
        case .documents(let documents):
            var keys: [DocumentKey] = []
            for name in documents.documents {
                keys.append(try NameReader.document(name, in: database))
            }
            return .documents(keys)
        case .query(let target):
            guard case .structuredQuery(let query)? = target.queryType else {
                throw .argument("only structured queries are supported")
            }
            guard !query.hasFindNearest else {
                throw .argument("FindNearest cannot be listened to")
            }
            let (found, parent) = try NameReader.parent(target.parent)
            guard found == database else {
                throw .argument("The target's parent is not of the stream's database.")
            }
            return .query(try self.query(query, parent: parent))
        case nil:
            throw .argument("A target needs a query or documents.")
        }
    }
}
