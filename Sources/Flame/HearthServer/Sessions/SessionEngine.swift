import HearthEngine
import HearthFirestore
import HearthModel
import HearthRealtime

/// The engine that a session uses, with the inputs that the session has gathered for the engine.
struct SessionEngine {
    /// Which engine.
    let key: EngineKey
    private let service: RunningEngine.Service
    private let source: MailboxSource
    private var forFirestore: [FirestoreEngine.Input] = []
    private var forRealtime: [RealtimeEngine.Input] = []

    /// Uses an engine's service; inputs get in line with what else comes from the source.
    ///
    /// - Parameter introduction: The session and its program, which the engine hears of with the first
    ///   input.
    init(
        _ key: EngineKey, _ service: RunningEngine.Service, from source: MailboxSource,
        introducing introduction: (session: UInt64, program: LedgerProgram)
    ) {
        self.key = key
        self.service = service
        self.source = source
        if case .firestore = service {
            forFirestore = [.introduce(session: introduction.session, introduction.program)]
        }
    }

    /// What gets of hot documents are answered from; `nil` for an engine that has none.
    var cachedReads: CachedReads? {
        switch service {
        case .firestore(let firestore): firestore.cachedReads
        case .realtime: nil
        }
    }

    /// Gathers an input for the next submission.
    mutating func gather(_ input: SessionInput) {
        switch input {
        case .firestore(let input): forFirestore.append(input)
        case .realtime(let input): forRealtime.append(input)
        }
    }

    /// Puts what was gathered in the engine's mailbox; `nil` if nothing was.
    mutating func submit() -> Submission? {
        switch service {
        case .firestore(let firestore):
            guard !forFirestore.isEmpty else { return nil }
            defer { forFirestore.removeAll(keepingCapacity: true) }
            return firestore.inlet.submit(forFirestore, from: source)
        case .realtime(let realtime):
            guard !forRealtime.isEmpty else { return nil }
            defer { forRealtime.removeAll(keepingCapacity: true) }
            return realtime.inlet.submit(forRealtime, from: source)
        }
    }

    /// Tells the engine that the session is gone, behind what was gathered.
    mutating func leave(_ session: UInt64) {
        _ = submit()
        switch service {
        case .firestore(let firestore):
            _ = firestore.inlet.submit([.disconnected(session: session)], from: source)
        case .realtime(let realtime):
            _ = realtime.inlet.submit([.disconnected(session: session)], from: source)
        }
    }
}
