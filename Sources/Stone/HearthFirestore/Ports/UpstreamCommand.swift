package import HearthEngine
package import HearthModel

/// The backend's opaque mark of the write stream's place.
package typealias StreamToken = [UInt8]

/// What the engine asks of the connection to the backend.
package enum UpstreamCommand: Hashable, Sendable {
    /// Opens the watch stream on behalf of a user. Answered by `watchOpened`, later `watchClosed`
    /// or `watchBroken`.
    case openWatch(StreamNumber, as: UserID)
    /// Watches a target on the open stream.
    case listen(StreamNumber, ListenRequest)
    /// Stops watching.
    case unlisten(StreamNumber, WireTargetID)
    /// Closes the watch stream. No event of it may follow.
    case closeWatch(StreamNumber)
    /// Opens the write stream on behalf of a user, whose queue it will carry and nobody else's.
    /// Answered by `writeOpened`, later `writeClosed` or `writeBroken`.
    case openWrite(StreamNumber, as: UserID)
    /// Names the database. Answered by `writeHandshaken`.
    case handshake(StreamNumber)
    /// Sends the writes of one batch. Answered by `writeAnswered`, in the order of sending.
    case write(StreamNumber, BatchID, [Mutation], StreamToken)
    /// Says goodbye with an empty request if `token` is given, and closes. No event may follow.
    case closeWrite(StreamNumber, goodbye: StreamToken?)
    /// Makes a call outside the streams, on behalf of a user and of nobody else.
    ///
    /// Answered once, by `called`, whatever becomes of the streams.
    case call(RequestID, BackendCall, as: UserID)
    /// Gives a call up: nobody waits for the answer, which need not be told any more.
    case abandon(RequestID)
}

/// What the connection to the backend tells the engine.
package enum UpstreamEvent: Hashable, Sendable {
    /// The watch stream can take requests.
    case watchOpened(StreamNumber)
    /// A message came.
    case watched(StreamNumber, WatchChange)
    /// A document came that cannot be read, for these targets. The stream goes on.
    case watchUnreadable(StreamNumber, [WireTargetID], HearthError)
    /// The watch stream ended; without an error if the backend closed it in good order.
    case watchClosed(StreamNumber, HearthError?)
    /// The watch stream ended because something came that cannot be read, and nothing tells which
    /// targets it was for.
    case watchBroken(StreamNumber, HearthError)
    /// The write stream can take the handshake.
    case writeOpened(StreamNumber)
    /// The backend accepted the handshake.
    case writeHandshaken(StreamNumber, StreamToken)
    /// The backend committed a batch.
    case writeAnswered(StreamNumber, WriteAnswer)
    /// The write stream ended.
    case writeClosed(StreamNumber, HearthError?)
    /// The write stream ended because an answer came that cannot be read.
    case writeBroken(StreamNumber, HearthError)
    /// The write stream ended because a batch cannot be put into the backend's language.
    ///
    /// The connection has told of all answers to the batches in front; the batch and the batches
    /// behind never left.
    case writeUnsendable(StreamNumber, BatchID, HearthError)
    /// A call is answered.
    case called(RequestID, BackendAnswer)
}

/// The backend's answer to one batch.
package struct WriteAnswer: Hashable, Sendable {
    /// The newest token.
    package let token: StreamToken
    /// When the batch was committed.
    package let committedAt: SnapshotVersion
    /// One for each write.
    package let results: [Mutation.Result]

    /// Takes the answer's parts.
    ///
    /// - Parameters:
    ///   - token: The newest token.
    ///   - committedAt: When the batch was committed.
    ///   - results: One result for each write.
    package init(token: StreamToken, committedAt: SnapshotVersion, results: [Mutation.Result]) {
        self.token = token
        self.committedAt = committedAt
        self.results = results
    }
}

/// A connection to one Firestore database's backend.
package typealias FirestoreUpstream = EngineUpstream<UpstreamCommand>
