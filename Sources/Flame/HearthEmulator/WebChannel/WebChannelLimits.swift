import HearthRPC

/// How much one WebChannel session may hold, and how long it waits.
enum WebChannelLimits {
    /// Sessions open at once. A page holds two, one to listen and one to write.
    static let sessionCountMax = 1_024
    /// Bytes that a client has not acknowledged, past which its stream has to wait.
    static let unacknowledgedByteCountMax = 1 << 20
    /// The same, past which an answer ends. The client comes back at once, and says what it has.
    static let answerByteCountMax = 256 * 1_024
    /// What an array costs beside its text, so that many small ones count too.
    static let arrayByteCount = 64
    /// Bytes of arrays that a client gets to see together.
    static let chunkByteCount = 64 * 1_024
    /// Maps that may lie here before the one in front of them came.
    static let earlyMapCountMax = 256
    /// Their bytes.
    static let earlyByteCountMax = ConnectionLimits.requestByteCountMax
    /// Posts that may wait for their answer until the stream has caught up.
    static let heldAnswerCountMax = 32
    /// How long a back channel may be silent. Clients give it up after half as long again.
    static let keepaliveInterval = Duration.seconds(30)
    /// How long a session lives without a back channel and without a post.
    static let abandonment = Duration.seconds(60)
}
