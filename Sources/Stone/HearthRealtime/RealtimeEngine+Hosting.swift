package import HearthEngine
package import HearthModel

extension RealtimeEngine: Engine {
    /// No answer is remembered outside of the engine.
    package static func reading(in decided: [Action], of input: Input) -> Never? { nil }
}

extension RealtimeEngine.Input: EngineInput {
    /// The input of a step that every engine takes.
    package static func lifecycle(_ step: LifecycleStep) -> Self {
        switch step {
        case .start: .start
        case .setNetwork(let isEnabled): .setNetwork(isEnabled: isEnabled)
        case .networkReturned: .networkReturned
        case .changeUser(let user): .changeUser(user)
        case .setQueueLimits(let limits): .setQueueLimits(limits)
        case .disconnected(let session): .disconnected(session: session)
        case .shutdown: .shutdown
        }
    }

    package var role: InputRole<RealtimeTimer> {
        switch self {
        case .start: .lifecycle(.start)
        case .setNetwork(let isEnabled): .lifecycle(.setNetwork(isEnabled: isEnabled))
        case .networkReturned: .lifecycle(.networkReturned)
        case .changeUser(let user): .lifecycle(.changeUser(user))
        case .setQueueLimits(let limits): .lifecycle(.setQueueLimits(limits))
        case .disconnected(let session): .lifecycle(.disconnected(session: session))
        case .shutdown: .lifecycle(.shutdown)
        case .timerFired(let timer): .timerFired(timer)
        case .upstream(let event): .upstream(settlesWrites: event.settlesWrites)
        case .listen, .unlisten, .get, .write, .waitForPendingWrites, .purge, .runTransaction,
            .propose, .onDisconnect, .denyTransaction, .denyOrders, .clearPersistence, .withhold,
            .setKept, .steerQueue:
            .request
        }
    }

    package var needsRoom: Bool {
        switch self {
        case .write, .upstream: true
        case .timerFired(let timer):
            switch timer {
            case .storeRetry: true
            case .onlineState, .idle, .backoff, .health, .readGrace, .reading, .unlistening, .fence,
                .garbageCollection, .hashing:
                false
            }
        case .steerQueue(_, let order, _):
            switch order {
            case .edit, .retry, .retryDeadLetters, .editDeadLetter: true
            case .hold, .release, .cancel, .drop, .dropDeadLetters: false
            }
        case .start, .listen, .unlisten, .get, .waitForPendingWrites, .purge, .runTransaction,
            .propose, .onDisconnect, .denyTransaction, .denyOrders, .disconnected,
            .clearPersistence, .withhold, .setKept, .setQueueLimits, .setNetwork, .networkReturned,
            .changeUser, .shutdown:
            false
        }
    }

    package func refusal(_ error: HearthError) -> [RealtimeEngine.Action] {
        switch self {
        case .listen(let listener, _, _): [.fail(listener, error)]
        case .get(let request, _, _), .waitForPendingWrites(let request, _),
            .purge(let request, _, _), .onDisconnect(let request, _, _, _),
            .clearPersistence(let request), .withhold(let request, _),
            .steerQueue(let request, _, _):
            [.refuse(request, error)]
        case .write(let request): [.refuse(request.id, error)]
        case .runTransaction(let request, _, _, _), .propose(let request, _, _):
            [.transaction(request, .failed(error, .empty))]
        case .start, .unlisten, .denyTransaction, .denyOrders, .disconnected, .setKept,
            .setQueueLimits, .setNetwork, .networkReturned, .changeUser, .upstream, .timerFired,
            .shutdown:
            []
        }
    }
}

extension RealtimeEngine.Action: EngineEffect {
    package var role: EffectRole<RealtimeTimer, RealtimeCommand, Never> {
        switch self {
        case .schedule(let timer, let delay): .schedule(timer, after: delay)
        case .cancel(let timer): .cancel(timer)
        case .upstream(let command): .upstream(command)
        case .note(let note): .note(note.news)
        case .tell(_, let listeners): .tell(.snapshots(count: listeners.count))
        case .accept: .tell(.accepted)
        case .refuse: .tell(.refused)
        case .fail, .answer, .settle, .transaction, .complete, .steered: .tell(.other)
        }
    }

    package var movedTimer: RealtimeTimer? {
        switch self {
        case .schedule(let timer, _), .cancel(let timer): timer
        case .tell, .fail, .answer, .accept, .settle, .transaction, .complete, .refuse, .steered,
            .upstream, .note:
            nil
        }
    }
}

extension RealtimeEngine.Note {
    /// What the host learns from the note.
    fileprivate var news: EngineNews {
        switch self {
        case .onlineState(let state): .onlineState(state)
        case .syncState(let state, _): .syncState(state)
        case .storeFailed, .storeRecovered: .store
        case .writeCommitted: .committed
        case .writeRejected: .rejected
        case .connectionFailed(let error): .connectionFailed(error)
        case .connectionRecovered: .connectionRecovered
        case .fenceDenied(let error): .marking(failure: error)
        case .fenceAwaited: .marking(failure: .endAwaited)
        case .fenceAllowed: .marking(failure: nil)
        case .collected(let queries): .collected(count: queries)
        case .listenRejected, .indexMissing, .writeInDoubt, .fenceLost, .queueSteered, .queueFull:
            .other
        }
    }
}

extension HearthError {
    /// Why the queue stands though the backend answers.
    package static let endAwaited = HearthError(
        code: .unavailable,
        message: "The waiting writes are not sent yet: the backend has not noted the end of an "
            + "earlier connection, which may still carry some of them. The daemon asks again, and "
            + "after about five minutes waits no more.")
}

extension RealtimeTimer: EngineTimer {
    package var isReconnection: Bool {
        switch self {
        case .backoff: true
        case .onlineState, .idle, .health, .readGrace, .reading, .unlistening, .fence, .storeRetry,
            .garbageCollection, .hashing:
            false
        }
    }

    package var isBackground: Bool {
        switch self {
        case .garbageCollection, .hashing: true
        case .onlineState, .idle, .backoff, .health, .readGrace, .reading, .unlistening, .fence,
            .storeRetry:
            false
        }
    }
}

extension RealtimeCommand: EngineCommand {
    package var sending: SendingStep? {
        switch self {
        case .open, .close: .anew
        case .send(_, let request):
            switch request.action {
            // A put with a hash is a transaction's, which is in no queue.
            case .put(_, _, hash: nil), .merge: .batch
            case .put, .listen, .unlisten, .get, .onDisconnectPut, .onDisconnectMerge,
                .onDisconnectCancel, .authenticate, .unauthenticate, .appCheck, .stats, .unknown:
                nil
            }
        }
    }
}

extension RealtimeUpstreamEvent {
    /// Whether it may answer a write, whose answer must not be lost.
    fileprivate var settlesWrites: Bool {
        switch self {
        case .answered: true
        case .opened, .pushed, .closed: false
        }
    }
}
