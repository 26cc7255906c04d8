package import HearthEngine

/// What tests and operators may look at. Changes nothing.
extension RealtimeEngine {
    /// How many of the user's writes wait, sent or not. Hidden writes of transactions count too.
    package var queuedWriteCount: Int { tree.writes.count }

    /// How many writes are on the way to the backend.
    package var outstandingWriteCount: Int { pipeline.count }

    /// Whether the backend can be reached, as far as is known.
    package var onlineState: OnlineState { online.state }
}
