package import HearthModel

/// A program's request to an instance of the Realtime Database.
package enum InstanceRequest: Hashable, Sendable {
    /// Subscribes. Answered by `Event.viewNews` until `unlisten`, or by `Event.listenFailed`.
    ///
    /// A silent listener keeps its data in step and hears nothing but `Event.listenFailed`.
    case listen(ListenTarget, ListenerKind)
    /// Reads once. Answered by `Event.node`.
    case get(ListenTarget, RealtimeSource)
    /// Writes. Answered by `Event.writeAccepted`, then `writeCommitted` or `writeRejected`.
    case write(Write)
    /// Waits until the backend has answered all writes accepted so far. Answered by `Event.done`.
    case waitForPendingWrites
    /// Waits only for the session's own writes, and for the write that the client knows as its
    /// last. Answered by `Event.done`.
    case waitForOwnWrites(last: BatchID)
    /// Takes back all writes of the client that have no answer. Answered by `Event.done`.
    case purgeOwnWrites
    /// Begins a transaction. Answered by `Event.transaction`, again and again until it ends.
    ///
    /// With `showsEstimate`, listeners see what the transaction proposes before the backend has
    /// it.
    case runTransaction(RealtimePath, showsEstimate: Bool)
    /// Goes on with the transaction of the same number: proposes the node that is to be at the
    /// place, or gives the transaction up. Not answered by itself.
    case propose(UnresolvedNode?, round: Int)
    /// Orders what happens when the program or the connection is gone. Answered by `Event.done`.
    case onDisconnect(OnDisconnectOrder, OnDisconnectScope)
    /// Keeps the session's own listeners and reads from the backend, or ends that. Its writes go
    /// their way. Answered by `Event.done`.
    case withhold(isWithheld: Bool)
    /// Tells or changes the places that are kept in step for good. Answered by `Event.keptPlaces`.
    case keep(KeepOrder)
}

extension InstanceRequest {
    /// The request's needs and contents.
    package var traits: RequestTraits {
        switch self {
        case .listen(let target, _): Self.reading(target, room: .listener)
        case .get(let target, _): Self.reading(target, room: .answer)
        case .write(let write): RequestTraits(.contents, contents: .change(write.change))
        case .waitForPendingWrites, .waitForOwnWrites, .purgeOwnWrites: RequestTraits(.open)
        case .runTransaction(let path, _):
            RequestTraits(
                .contents, contents: .subtree(path, [.read, .write]), isRepeatable: false)
        case .propose:
            RequestTraits(.open, room: .none, number: .begun, isRepeatable: false)
        case .onDisconnect(.write(let change), _):
            RequestTraits(.contents, contents: .change(change))
        case .onDisconnect(.cancel(let path), _):
            RequestTraits(.contents, contents: .subtree(path, [.write]))
        case .withhold, .keep(.tell), .keep(.release): RequestTraits(.anything(.read))
        case .keep(.keep(let target)):
            RequestTraits(.contents, contents: .subtree(target.path, [.read]))
        }
    }

    /// What the daemon tells of itself below `.info` needs a right to anything at all.
    private static func reading(
        _ target: ListenTarget, room: RequestTraits.Room
    ) -> RequestTraits {
        target.path.isInfo
            ? RequestTraits(.anything(.read), room: room)
            : RequestTraits(.contents, room: room, contents: .subtree(target.path, [.read]))
    }

    /// A write that the backend applies as a whole or not at all.
    package struct Write: Hashable, Sendable {
        /// The client's number for the write, which stays the same when the client sends the write
        /// again; 0 if the client never will.
        package var sequence: UInt64
        /// The client has the last answers to all its writes below this number.
        package var answeredBelow: UInt64
        /// What is written.
        package var change: RealtimeChange
        /// If the write was sent before: the number of the stores that it was sent to; otherwise 0.
        package var sentTo: UInt64

        /// Takes the parts.
        ///
        /// - Parameters:
        ///   - sequence: The client's number for the write, which stays the same when the client
        ///     sends the write again; 0 if the client never will.
        ///   - answeredBelow: The client has the last answers to all its writes below this number.
        ///   - change: What is written.
        ///   - sentTo: If the write was sent before: the number of the stores that it was sent to;
        ///     otherwise 0.
        package init(
            sequence: UInt64, answeredBelow: UInt64, change: RealtimeChange, sentTo: UInt64 = 0
        ) {
            self.sentTo = sentTo
            self.sequence = sequence
            self.answeredBelow = answeredBelow
            self.change = change
        }
    }
}
