import HearthRPC

/// How much one WebChannel session may hold, and how long it waits.
enum WebChannelLimits {
    /// Sessions open at once. A page holds two, one to listen and one to write.
    static let sessionCountMax = 1_024
    /// The unacknowledged bytes of a client at which its stream must wait.
    static let unacknowledgedByteCountMax = 1 << 20
    /// The unacknowledged bytes of a client at which an answer ends.
    ///
    /// The client comes back at once, and acknowledges the arrays that have come.
    static let answerByteCountMax = 256 * 1_024
    /// Bytes that an array counts beside its text, to let small arrays reach the bounds too.
    static let arrayByteCount = 64
    /// Bytes of arrays after which a chunk ends.
    static let chunkByteCount = 64 * 1_024
    /// Maps that may wait for an earlier map.
    static let earlyMapCountMax = 256
    /// Bytes of maps that may wait for an earlier map.
    static let earlyByteCountMax = ConnectionLimits.requestByteCountMax
    /// Posts that may wait for their answer until the stream has caught up.
    static let heldAnswerCountMax = 32
    /// How long a back channel may be silent.
    ///
    /// Clients give a silent back channel up after 1.5 times as long.
    static let keepaliveInterval = Duration.seconds(30)
    /// How long a session lives without a back channel and without a post.
    static let abandonment = Duration.seconds(60)
}
