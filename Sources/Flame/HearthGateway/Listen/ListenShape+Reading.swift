import HearthBackend
import HearthModel
import HearthProtocol

extension ListenShape {
    /// Reads what a target asks for, as strictly as the backend does.
    ///
    /// - Throws: `HearthError` for a target that the backend would refuse, is of another database,
    ///   or cannot be kept in the cache. The stream goes on without the target.
    init(_ proto: ProtoTarget, in database: DatabaseID) throws(HearthError) {
        switch proto.targetType {
        case .documents(let documents):
            var keys: [DocumentKey] = []
            for name in documents.documents {
                keys.append(try NameReader.document(name, in: database))
            }
            self.init(documents: keys)
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
            let asked = try RequestReader(database: database).query(query, parent: parent)
            _ = try QueryPlan(asked, in: database)  // Refuses what the backend's rules forbid.
            try self.init(asked)
        case nil:
            throw .argument("A target needs a query or documents.")
        }
    }
}
