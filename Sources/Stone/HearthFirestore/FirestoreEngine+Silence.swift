import HashTreeCollections
import HearthEngine
import HearthModel

/// A backend that hangs: the streams stand, and nothing comes.
///
/// A listen, or a call on behalf of a read that the cache may answer, waits ten seconds for any word.
/// Then the engine counts as offline, as after a first connection that takes too long: reads and new
/// listeners are answered from the cache. The streams stay, since closing them would tell a
/// slow backend nothing. The first word makes the engine online again.
///
/// - Source: the SDKs' `OnlineStateTracker` has the ten seconds, for a first connection alone.
extension FirestoreEngine {
    /// A listen waits for the backend's word.
    mutating func listensForWord(_ effects: inout Effects) {
        guard online.state != .offline else { return }
        schedule(silence.listened(at: effects.now), &effects)
    }

    /// A call waits for the backend's word.
    mutating func callsForWord(_ id: RequestID, _ effects: inout Effects) {
        schedule(silence.called(id, at: effects.now), &effects)
    }

    /// The timer of the backend's silence ran out.
    mutating func silenceFired(_ turn: inout Turn) throws(StoreError) {
        let wasUp = isBackendUp
        let verdict = silence.fired(
            at: turn.now, isListenAwaited: wasUp && isListenAwaited,
            isAnswerHeldBack: wasUp && isAnswerHeldBack)
        schedule(verdict.pause, &turn.effects)
        if verdict.isAnswerOverdue { answerOverdue(&turn.effects) }
        let isReadUnanswered = verdict.calls.contains { id in
            if case .documents? = calls[id] { true } else { false }
        }
        var unanswered = verdict.calls
        if isBackendUp, isReadUnanswered || verdict.isStreamSilent && watchStream.isStarted {
            unanswered = silence.begin()
            connectionFailed(.silentBackend, &turn.effects)
            apply(online.fellSilent(), &turn.effects)
        }
        for id in unanswered { try answerFromCache(id, &turn) }
    }

    /// Answers a call's request from the cache, for the backend's answer does not come.
    ///
    /// A read of documents goes on, since its late answer tells that the backend is back.
    private mutating func answerFromCache(
        _ id: RequestID, _ turn: inout Turn
    ) throws(StoreError) {
        silence.ended(id)
        switch calls[id] {
        case .documents(let keys, _):
            calls[id] = .late
            try readFromCache(id, keys, &turn)
        case .aggregate(let request):
            abandonCall(id, &turn.effects)
            try aggregateFromCache(id, request, &turn)
        case .read, .commit, .late, .markers, nil: break
        }
    }

    /// Asks a silent backend on behalf of a read that the cache answers, to learn when it is back.
    ///
    /// One question at a time.
    mutating func askSilentBackend(
        _ keys: [DocumentKey], for id: RequestID, _ effects: inout Effects
    ) {
        guard silence.isSilent, canUseNetwork, !isKeptFromBackend(id.session), !keys.isEmpty,
            !calls.values.contains(.late)
        else { return }
        begin(.read(keys), .late, for: id, &effects)
    }

    /// A call was answered, by the backend or for it.
    mutating func noteAnswer(
        _ answer: BackendAnswer, to id: RequestID, _ turn: inout Turn
    ) throws(StoreError) {
        silence.ended(id)
        if case .failed(let error) = answer, error.code.letsCacheAnswer || error.code == .cancelled
        {
            return
        }
        silence.heard(at: turn.now)
        try endSilence(&turn)
    }

    /// The last question to a silent backend has failed: without a stream, nothing else would tell
    /// that the backend is back, so the next read asks anew.
    mutating func lateCallFailed(_ effects: inout Effects) {
        guard silence.isSilent, watched.isEmpty, !calls.values.contains(.late) else { return }
        silence.end()
        apply(online.set(.unknown), &effects)
    }

    /// The backend has said something after all.
    ///
    /// What the stream had told before the silence still holds, for a stream loses nothing.
    mutating func endSilence(_ turn: inout Turn) throws(StoreError) {
        guard silence.isSilent else { return }
        silence.end()
        connectionAnswered(&turn.effects)
        guard watchStream.openNumber != nil else {
            return apply(online.set(.unknown), &turn.effects)
        }
        apply(online.set(.online), &turn.effects)
        if isListenAwaited { listensForWord(&turn.effects) }
        try confirmTold(&turn)
    }

    /// Tells the views of targets that the open stream has told whole that they are not from the cache.
    mutating func confirmTold(_ turn: inout Turn) throws(StoreError) {
        var event = RemoteEvent(version: .zero)
        var concerned: [(id: ViewID, documents: [Document])] = []
        for (id, wire) in wireIDs.sorted(by: { $0.key < $1.key })
        where aggregator.isToldWhole(wire) {
            let ids = views.ids(of: id)
            guard !ids.isEmpty, let data = watched[id] else { continue }
            event.targetChanges[id] = TargetChange(resumeToken: data.resumeToken, isCurrent: true)
            concerned += ids.map { (id: $0, documents: []) }
        }
        try updateViews(concerned, of: event, &turn)
    }

    /// Whether the network is used, and nothing has shown that the backend is away.
    var isBackendUp: Bool { canUseNetwork && online.state != .offline }

    /// Whether the open stream carries a listen that the backend has not taken up.
    private var isListenAwaited: Bool {
        watchStream.openNumber != nil && wireIDs.values.contains { aggregator.isAwaited($0) }
    }

    /// Lets the silence's timer run out after a pause, if there is one.
    func schedule(_ pause: Duration?, _ effects: inout Effects) {
        guard let pause else { return }
        effects.actions.append(.schedule(.backendSilence, after: pause))
    }
}

extension HearthError {
    /// The backend was asked, and nothing came for as long as anybody waits.
    fileprivate static let silentBackend = HearthError(
        code: .unavailable,
        message: "The backend has said nothing for \(BackendSilence.patience), though it was asked."
    )
}
