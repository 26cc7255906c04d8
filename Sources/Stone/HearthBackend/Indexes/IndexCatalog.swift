package import HearthModel

/// The indexes of a database, as far as queries may count on them.
///
/// Each field has its single-field indexes by itself, for queries of one collection: ascending,
/// descending, by element. What an exemption says of a field counts instead. Every other index must
/// be declared.
package struct IndexCatalog: Hashable, Sendable {
    /// What single-field indexes a field has instead of the automatic ones.
    struct Exemption: Hashable, Sendable {
        /// One index of the field.
        struct Index: Hashable, Sendable {
            let kind: IndexDefinition.Kind
            let scope: IndexDefinition.Scope
        }

        let collectionID: UTF8Text
        /// It counts for the field and all below it; empty for every field.
        let path: FieldPath
        let indexes: [Index]
    }

    private let composites: [IndexDefinition]
    private let exemptions: [Exemption]

    /// Automatic indexes only.
    package init() {
        self.init(composites: [], exemptions: [])
    }

    init(composites: [IndexDefinition], exemptions: [Exemption]) {
        self.composites = composites
        self.exemptions = exemptions
    }

    /// Refuses a query that production would not run without a further index.
    ///
    /// - Parameters:
    ///   - plan: The query.
    ///   - nearest: The search for neighbours that the query also is; `nil` if the query is none.
    ///   - database: The database, for the address in the error.
    /// - Throws: `HearthError` `failedPrecondition` that names the index, as production does.
    package func check(
        _ plan: QueryPlan, nearest: NearestNeighbours? = nil, in database: DatabaseID
    ) throws(HearthError) {
        let collectionID: UTF8Text
        let scope: IndexDefinition.Scope
        switch plan.scope {
        case .collection(let path): (collectionID, scope) = (UTF8Text(path.last), .collection)
        case .group(let id, _): (collectionID, scope) = (UTF8Text(id), .collectionGroup)
        case .children, .everything: return
        }
        let demands = IndexDemand.all(of: plan, nearest: nearest)
        let missing = demands.filter { demand in
            !demand.isMet(by: indexes(for: demand, collectionID, scope))
        }
        // Any of them will do; the same question gets the same answer.
        guard let first = missing.min(by: { Self.text(of: $0) < Self.text(of: $1) }) else { return }
        throw MissingIndex(
            database: database, collectionID: collectionID, scope: scope, demand: first
        ).error
    }

    private func indexes(
        for demand: IndexDemand, _ collectionID: UTF8Text, _ scope: IndexDefinition.Scope
    ) -> [[IndexDefinition.Field]] {
        var result = composites.filter {
            $0.collectionID == collectionID && $0.scope == scope
        }.map(\.fields)
        for path in Set(demand.fields.map(\.path)) where !path.isDocumentID {
            for kind in kinds(of: path, collectionID, scope) {
                let name = FieldPath.documentID
                switch kind {
                case .ascending, .descending:
                    result.append([.init(path, kind), .init(name, kind)])
                case .contains:
                    result.append([.init(path, kind), .init(name, .ascending)])
                    result.append([.init(path, kind), .init(name, .descending)])
                case .vector:
                    result.append([.init(path, kind)])
                }
            }
        }
        return result
    }

    /// The single-field indexes of a field.
    private func kinds(
        of path: FieldPath, _ collectionID: UTF8Text, _ scope: IndexDefinition.Scope
    ) -> [IndexDefinition.Kind] {
        let exemption = exemptions.filter {
            $0.collectionID == collectionID && $0.path.isPrefix(of: path)
        }.max { $0.path.count < $1.path.count }
        if let exemption {
            return exemption.indexes.filter { $0.scope == scope }.map(\.kind)
        }
        return scope == .collection ? [.ascending, .descending, .contains] : []
    }

    private static func text(of demand: IndexDemand) -> String {
        demand.fields.map { "\($0.path) \($0.kind)" }.joined(separator: ",")
    }
}
