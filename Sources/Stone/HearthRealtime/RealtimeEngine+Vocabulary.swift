package import HearthEngine
package import HearthModel

extension RealtimeEngine {
    /// What enters an engine: one turn each.
    package enum Input: Hashable, Sendable {
        /// The first input: recovers counters and queue from the store.
        case start

        /// A session listens to a query. Answered by `.tell` until `unlisten`, or by `.fail`.
        case listen(ListenerID, ListenTarget, ListenerKind)
        /// A session ends a listen. Unknown ids are a race and ignored.
        case unlisten(ListenerID)
        /// A session asks once. Answered by `.answer` or `.refuse`.
        case get(RequestID, ListenTarget, RealtimeSource)
        /// A session writes. Answered by `.accept` and later `.settle`, or by `.refuse`.
        case write(RealtimeWriteRequest)
        /// A session waits until writes accepted so far are answered by the backend.
        case waitForPendingWrites(RequestID, PendingWritesScope)
        /// A client takes back all its writes that have no answer. Answered by `.complete`.
        case purge(RequestID, ClientID, uid: UInt32)
        /// A session wants to change a place by what is there. Answered by `.transaction`.
        case runTransaction(RequestID, RealtimePath, showsEstimate: Bool, Writer)
        /// A session's answer to a `.run`; without a node the session gives the transaction up.
        ///
        /// An answer to an older round than the last is a race and ignored.
        case propose(RequestID, UnresolvedNode?, round: Int)
        /// A session orders what happens when it is gone. Answered by `.complete` or `.refuse`.
        case onDisconnect(RequestID, OnDisconnectOrder, OnDisconnectScope, Writer)
        /// The rules of this machine allow a session's transaction no more.
        case denyTransaction(RequestID, HearthError)
        /// The machine's rules no longer allow the orders of a session at these places.
        case denyOrders(session: UInt64, [WritePath], HearthError)
        /// A session is gone: its listens, requests and transactions end; its writes stay.
        case disconnected(session: UInt64)
        /// A session forgets cache and queue, for all. Answered by `.complete` or `.refuse`.
        case clearPersistence(RequestID)
        /// A session withholds its own listens and reads from the backend, or ends the withholding.
        ///
        /// Answered by `.complete`.
        case withhold(RequestID, isWithheld: Bool)
        /// These queries are kept in step without a listener.
        case setKept([ListenTarget])

        /// An administrator, this Unix user, gives an order to the queue.
        ///
        /// Answered by `.steered` or `.refuse`.
        case steerQueue(RequestID, QueueOrder<RealtimeChange>, by: UInt32)
        /// From now on so much may wait for the backend.
        case setQueueLimits(QueueLimits)
        /// Goes online or offline on an administrator's wish.
        case setNetwork(isEnabled: Bool)
        /// The machine has a network again, or another one.
        case networkReturned
        /// Another Firebase user signs in, or nobody.
        case changeUser(UserID)
        /// Something came from the backend.
        case upstream(RealtimeUpstreamEvent)
        /// A timer that was scheduled has run out.
        case timerFired(RealtimeTimer)
        /// Ends all work; only `.disconnected` and late events may follow.
        case shutdown
    }

    /// What must be done after a turn is committed, in this order.
    package enum Action: Hashable, Sendable {
        /// Listeners are told of a view.
        case tell(ViewNews, to: [ListenerID])
        /// A listener ends with an error.
        case fail(ListenerID, HearthError)
        /// A one-time read has its result.
        case answer(RequestID, Node, isFromCache: Bool)
        /// A write is durable here.
        case accept(RequestID, BatchID)
        /// A write is answered by the backend.
        case settle(RequestID, BatchID, RealtimeOutcome)
        /// A transaction goes a step further.
        case transaction(RequestID, TransactionStep)
        /// A wait, a switch or another request without a result is done.
        case complete(RequestID)
        /// A request failed.
        case refuse(RequestID, HearthError)
        /// An order to the queue was carried out for these batches.
        case steered(RequestID, [SteeredBatch])
        /// The connection to the backend has something to do.
        case upstream(RealtimeCommand)
        /// A timer must run; if it runs already, it is moved.
        case schedule(RealtimeTimer, after: Duration)
        /// A timer must not run.
        case cancel(RealtimeTimer)
        /// Something for the journal.
        case note(Note)
    }

    /// What operators are told.
    package enum Note: Hashable, Sendable {
        /// The connection's state changed.
        case onlineState(OnlineState)
        /// The cache stands to the backend otherwise than before.
        case syncState(SyncState, after: SyncState)
        /// The backend ended a listen for good.
        case listenRejected(ListenTarget, HearthError)
        /// The backend said that a query has no index, so the whole place is downloaded.
        case indexMissing(ListenTarget)
        /// The backend committed a write.
        case writeCommitted(BatchID)
        /// The connection failed, or could not be opened.
        case connectionFailed(HearthError)
        /// The backend answered, after the connection had failed.
        case connectionRecovered
        /// The backend refused a write; the write is among the dead letters.
        case writeRejected(BatchID, HearthError)
        /// A write is among the dead letters because its answer was lost.
        case writeInDoubt(BatchID, HearthError)
        /// The backend does not let us keep the fence, so a lost answer stays in doubt.
        case fenceDenied(HearthError)
        /// Writes wait, because the backend has not noted the end of earlier connections.
        case fenceAwaited
        /// The backend never noted the end of connections, so the writes on these connections are
        /// in doubt.
        case fenceLost(connectionCount: Int)
        /// What was said of the fence holds no more.
        case fenceAllowed
        /// An administrator ordered something of these batches.
        case queueSteered(String, [BatchID], by: UInt32)
        /// A write was refused because too much waits.
        case queueFull(HearthError)
        /// The store failed; the network is off until it works again.
        case storeFailed(String)
        /// The store works again.
        case storeRecovered
        /// The least used were collected.
        case collected(queries: Int)
    }
}

/// A session's wish to write.
package struct RealtimeWriteRequest: Hashable, Sendable {
    /// To whom the answers go.
    package let id: RequestID
    /// The identity that a resent write shares; `nil` for writers that never resend.
    package let identity: WriteIdentity?
    /// The client has all answers to writes below this number.
    package let answeredBelow: UInt64
    /// Who writes.
    package let writer: Writer
    /// What is written.
    package let change: RealtimeChange
    /// Whether the client sent the write to earlier stores, which a restore has replaced. The
    /// earlier stores may have taken the write.
    package let wasSentElsewhere: Bool

    /// Asks to write.
    ///
    /// - Parameters:
    ///   - id: To whom the answers go.
    ///   - identity: The identity that a resent write shares; `nil` for writers that never resend.
    ///   - answeredBelow: The client has all answers to writes below this number.
    ///   - writer: Who writes.
    ///   - change: What is written.
    ///   - wasSentElsewhere: Whether the client sent the write to earlier stores, which a restore
    ///     has replaced. The earlier stores may have taken the write.
    package init(
        id: RequestID, identity: WriteIdentity? = nil, answeredBelow: UInt64 = 0, writer: Writer,
        change: RealtimeChange, wasSentElsewhere: Bool = false
    ) {
        self.wasSentElsewhere = wasSentElsewhere
        self.id = id
        self.identity = identity
        self.answeredBelow = answeredBelow
        self.writer = writer
        self.change = change
    }
}
