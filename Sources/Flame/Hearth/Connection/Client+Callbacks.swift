import HearthModel
import HearthWire

/// What the client makes of its machine's actions: bytes for the line, and calls of closures.
extension Client {
    /// The closures that get the news of an operation.
    enum Callback: Sendable {
        case answer(@Sendable (Result<Event, any Error>) -> Void)
        /// A request with reports of progress before its answer.
        case task(
            @Sendable (Event.BundleProgress) -> Void,
            @Sendable (Result<Event, any Error>) -> Void)
        case listener(@Sendable (Result<ViewUpdate, FirestoreError>) -> Void)
        case sync(@Sendable () -> Void)
        /// A listener to the daemon's state.
        case status(@Sendable (Result<StatusNews, FirestoreError>) -> Void)
        case write(WriteTicket)
        /// A listener to the Realtime Database.
        case observer(@Sendable (Result<ObserverNews, FirestoreError>) -> Void)
        case transaction(@Sendable (Result<TransactionStep, FirestoreError>) -> Void)
    }

    /// Carries out actions under the lock.
    ///
    /// - Returns: The calls to be made outside the lock, in their order.
    func perform(
        _ actions: [ClientMachine.Action], _ state: inout State
    ) -> [@Sendable () -> Void] {
        var calls: [@Sendable () -> Void] = []
        for action in actions {
            switch action {
            case .send(let frame):
                state.line.append(FrameEncoder.bytes(of: frame))
            case .answer(let id, let event):
                calls += Self.answer(state.callbacks.removeValue(forKey: id), event)
            case .progress(let id, let progress):
                if case .task(let tell, _)? = state.callbacks[id] {
                    calls.append { tell(progress) }
                }
            case .show(let id, let update):
                if case .listener(let listener)? = state.callbacks[id] {
                    calls.append { listener(.success(update)) }
                }
            case .tell(let id, let news): calls += Self.tell(state.callbacks[id], .view(news))
            case .begin(let id, let news): calls += Self.tell(state.callbacks[id], .beginning(news))
            case .waitForConnection(let id): calls += Self.tell(state.callbacks[id], .unconnected)
            case .interrupt(let id): calls += Self.interrupt(state.callbacks[id])
            case .resume(let id):
                if case .status(let listener)? = state.callbacks[id] {
                    calls.append { listener(.success(.connected)) }
                }
            case .run(let id, let node, let round):
                if case .transaction(let listener)? = state.callbacks[id] {
                    calls.append { listener(.success(.run(node, round: round))) }
                }
            case .conclude(let id, let step):
                if case .transaction(let listener)? = state.callbacks.removeValue(forKey: id) {
                    calls.append { listener(.success(step)) }
                }
            case .report(let id, let report):
                if case .status(let listener)? = state.callbacks[id] {
                    calls.append { listener(.success(.report(report))) }
                }
            case .inSync(let id):
                if case .sync(let listener)? = state.callbacks[id] { calls.append(listener) }
            case .accept(let id, let batch):
                if case .write(let ticket)? = state.callbacks[id] {
                    calls.append { ticket.accepted(batch) }
                }
            case .commit(let id, let committed):
                if case .write(let ticket)? = state.callbacks.removeValue(forKey: id) {
                    calls.append { ticket.settled(.success(committed)) }
                }
            case .fail(let id, let error):
                if let callback = state.callbacks.removeValue(forKey: id) {
                    calls.append {
                        ClientLog.note("operation \(id.rawValue) failed: \(error)")
                        Self.fail(callback, error)
                    }
                }
            case .forget(let id):
                // The callback may hold the last reference to the `Firestore`, whose `deinit`
                // closes this client. That must not happen here, under the lock.
                if let callback = state.callbacks.removeValue(forKey: id) {
                    calls.append { withExtendedLifetime(callback) {} }
                }
            case .share(let byteCount):
                let codec = state.machine.codec
                let descriptor = state.descriptors.isEmpty ? nil : state.descriptors.removeFirst()
                calls.append { self.share(descriptor, byteCount: byteCount, codec) }
            case .disconnect:
                state.line.socket?.shutDown()
            }
        }
        return calls
    }

    private static func answer(_ callback: Callback?, _ event: Event) -> [@Sendable () -> Void] {
        switch callback {
        case .answer(let answer)?, .task(_, let answer)?: [{ answer(.success(event)) }]
        // Nobody waits any more.
        case .listener?, .sync?, .status?, .write?, .observer?, .transaction?, nil: []
        }
    }

    private static func tell(
        _ callback: Callback?, _ news: ObserverNews
    ) -> [@Sendable () -> Void] {
        guard case .observer(let listener)? = callback else { return [] }
        return [{ listener(.success(news)) }]
    }

    private static func interrupt(_ callback: Callback?) -> [@Sendable () -> Void] {
        switch callback {
        case .observer(let listener)?: [{ listener(.success(.interrupted)) }]
        case .status(let listener)?: [{ listener(.success(.interrupted)) }]
        // Nobody waits any more.
        case .answer?, .task?, .listener?, .sync?, .write?, .transaction?, nil: []
        }
    }

    private static func fail(_ callback: Callback, _ error: FirestoreError) {
        switch callback {
        case .answer(let answer), .task(_, let answer): answer(.failure(error))
        case .listener(let listener): listener(.failure(error))
        case .status(let listener): listener(.failure(error))
        case .observer(let listener): listener(.failure(error))
        case .transaction(let listener): listener(.failure(error))
        case .sync: break
        case .write(let ticket): ticket.settled(.failure(error))
        }
    }
}
