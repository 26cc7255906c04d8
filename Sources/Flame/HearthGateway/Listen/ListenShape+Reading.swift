import HearthBackend
import HearthModel
import HearthProtocol

extension ListenShape {
    /// Reads what a target asks for, as strictly as the backend does.
    ///
    /// - Throws: `HearthError` for a target that the backend would refuse, is of another database,
    ///   or cannot be kept in the cache. The stream goes on without the target.
    init(_ proto: ProtoTarget, in database: DatabaseID) throws(HearthError) {
        switch try RequestReader(database: database).subject(of: proto) {
        case .documents(let keys): self.init(documents: keys)
        case .query(let asked):
            _ = try QueryPlan(asked, in: database)  // Refuses what the backend's rules forbid.
            try self.init(asked)
        }
    }
}
