package import HearthModel

/// A message that a client sends.
package enum RealtimeClientMessage: Hashable, Sendable {
    /// A request that was read.
    case request(RealtimeRequest)
    /// A request that the server must refuse because of the data to write. The answer says so.
    case refused(number: Int, RealtimeCodecError)
    /// Asks for a pong.
    case ping
    /// Answers a ping.
    case pong
    /// A control message that is not known here.
    case unknown(String)
}
