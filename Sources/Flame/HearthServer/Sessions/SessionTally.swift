/// The part of a session that counts for the session's Unix user.
package struct SessionTally: Hashable, Sendable {
    /// The session's listeners.
    package var listenerCount: Int
    /// The session's requests that have no answer yet.
    package var requestCount: Int
    /// Bytes that the daemon holds for the session.
    package var heldByteCount: Int

    /// The listeners to the daemon's state among `listenerCount`.
    ///
    /// They are not told as listeners: whoever watches the state would change it.
    package var statusListenerCount = 0

    /// The listeners that operators are told of.
    package var toldListenerCount: Int { listenerCount - statusListenerCount }

    /// What a session has; a new session has nothing.
    ///
    /// - Parameters:
    ///   - listenerCount: The session's listeners.
    ///   - requestCount: The session's requests that have no answer yet.
    ///   - heldByteCount: Bytes that the daemon holds for the session.
    package init(listenerCount: Int = 0, requestCount: Int = 0, heldByteCount: Int = 0) {
        self.listenerCount = listenerCount
        self.requestCount = requestCount
        self.heldByteCount = heldByteCount
    }

    /// Whether others must know: of listeners and requests at once, of bytes by and by.
    package func isWorthTelling(after old: SessionTally) -> Bool {
        listenerCount != old.listenerCount || requestCount != old.requestCount
            || abs(heldByteCount - old.heldByteCount) >= ClientMemory.grainByteCount
    }
}
