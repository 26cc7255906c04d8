package import HearthEngine
package import HearthModel
package import HearthRealtime

/// What the engine of an instance of the Realtime Database has for one session, without the session's name.
///
/// Numbers are the client's own: of a listener, or of a request.
package enum RealtimeDelivery: Equatable, Sendable {
    /// A listener is told of its view.
    case news(UInt64, SharedNodes)
    /// A listener ends with an error.
    case fail(UInt64, HearthError)
    /// A one-time read has its result.
    case answer(UInt64, SharedNodes)
    /// A write is durable here.
    case accept(UInt64, BatchID)
    /// A write is answered by the backend.
    case settle(UInt64, BatchID, RealtimeOutcome)
    /// A transaction goes a step further.
    case transaction(UInt64, TransactionStep)
    /// A request without a result is done.
    case complete(UInt64)
    /// A request failed.
    case refuse(UInt64, HearthError)
    /// An order to the queue was carried out.
    case steered(UInt64, [SteeredBatch])
}

extension RealtimeDelivery {
    /// Sorts the actions of a group by session, each session's in order.
    ///
    /// - Parameter note: Gets what is for nobody's ears but the operator's.
    package static func bySession(
        _ actions: [RealtimeEngine.Action], note: (RealtimeEngine.Note) -> Void
    ) -> [UInt64: [RealtimeDelivery]] {
        var sorted: [UInt64: [RealtimeDelivery]] = [:]
        func put(_ delivery: RealtimeDelivery, _ session: UInt64) {
            sorted[session, default: []].append(delivery)
        }
        for action in actions {
            switch action {
            case .tell(let news, let listeners):
                let shared = SharedNodes(news)
                for id in listeners { put(.news(id.number, shared), id.session) }
            case .fail(let id, let error): put(.fail(id.number, error), id.session)
            case .answer(let id, let node, let isFromCache):
                let shared = SharedNodes(node, isFromCache: isFromCache)
                put(.answer(id.number, shared), id.session)
            case .accept(let id, let batch): put(.accept(id.number, batch), id.session)
            case .settle(let id, let batch, let outcome):
                put(.settle(id.number, batch, outcome), id.session)
            case .transaction(let id, let step):
                put(.transaction(id.number, step), id.session)
            case .complete(let id): put(.complete(id.number), id.session)
            case .refuse(let id, let error): put(.refuse(id.number, error), id.session)
            case .steered(let id, let batches): put(.steered(id.number, batches), id.session)
            case .note(let news): note(news)
            case .upstream, .schedule, .cancel:
                preconditionFailure("\(action) belongs to the host")
            }
        }
        return sorted
    }
}
