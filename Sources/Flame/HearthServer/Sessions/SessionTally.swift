/// The part of a session that counts for the session's Unix user.
package struct SessionTally: Hashable, Sendable {
    /// The session's listeners.
    package var listenerCount: Int
    /// The session's requests that have no answer yet.
    package var requestCount: Int
    /// Bytes that the daemon holds for the session.
    package var heldByteCount: Int

    /// What a session has; a new session has nothing.
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
