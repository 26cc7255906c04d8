import HearthEngine
package import HearthFirestore
package import HearthModel

/// What a Firestore engine has for one session, without the session's name.
///
/// Numbers are the client's own: of a listener, or of a request.
package enum FirestoreDelivery: Equatable, Sendable {
    /// A listener is told of a snapshot.
    case snapshot(UInt64, SharedSnapshot)
    /// A listener ends with an error.
    case fail(UInt64, HearthError)
    /// All listeners have been told of the latest change.
    case inSync(UInt64)
    /// A one-time read has its result.
    case answer(UInt64, SharedSnapshot)
    /// A write is durable here.
    case accept(UInt64, BatchID)
    /// A write is answered by the backend.
    case settle(UInt64, BatchID, WriteOutcome)
    /// A request without a result is done.
    case complete(UInt64)
    /// A request failed.
    case refuse(UInt64, HearthError)
    /// A bundle is loaded.
    case loaded(UInt64, BundleProgress)
    /// A named query was found, or is unknown.
    case found(UInt64, NamedQuery?)
    /// How a query was answered from the cache.
    case explained(UInt64, QueryPlanDescription)
    /// The indexes of the cache.
    case indexes(UInt64, IndexReport)
    /// A request has its result.
    case result(UInt64, RequestResult)
}

extension FirestoreDelivery {
    /// Sorts the actions of a group by session, each session's in order.
    ///
    /// - Parameter note: Gets what is for nobody's ears but the operator's.
    package static func bySession(
        _ actions: [FirestoreEngine.Action], note: (FirestoreEngine.Note) -> Void
    ) -> [UInt64: [FirestoreDelivery]] {
        var sorted: [UInt64: [FirestoreDelivery]] = [:]
        func put(_ delivery: FirestoreDelivery, _ session: UInt64) {
            sorted[session, default: []].append(delivery)
        }
        for action in actions {
            switch action {
            case .emit(let snapshot, let listeners):
                let shared = SharedSnapshot(snapshot)
                for id in listeners { put(.snapshot(id.number, shared), id.session) }
            case .fail(let id, let error): put(.fail(id.number, error), id.session)
            case .inSync(let listeners):
                for id in listeners { put(.inSync(id.number), id.session) }
            case .answer(let id, let snapshot):
                put(.answer(id.number, SharedSnapshot(snapshot)), id.session)
            case .accept(let id, let batch): put(.accept(id.number, batch), id.session)
            case .settle(let id, let batch, let outcome):
                put(.settle(id.number, batch, outcome), id.session)
            case .complete(let id): put(.complete(id.number), id.session)
            case .refuse(let id, let error): put(.refuse(id.number, error), id.session)
            case .loaded(let id, let progress): put(.loaded(id.number, progress), id.session)
            case .found(let id, let query): put(.found(id.number, query), id.session)
            case .explained(let id, let description):
                put(.explained(id.number, description), id.session)
            case .indexes(let id, let report): put(.indexes(id.number, report), id.session)
            case .result(let id, let result): put(.result(id.number, result), id.session)
            case .note(let news): note(news)
            case .upstream, .survey, .schedule, .cancel:
                preconditionFailure("\(action) belongs to the host")
            }
        }
        return sorted
    }
}
