import HearthEngine
import HearthFirestore
import HearthModel
import HearthRPC
import HearthServer
import NIOCore

/// On which terms a call queues writes: who judges them, how long it waits, who writes.
struct WriteTerms {
    /// How long the answer waits for the backend.
    enum Wait: Hashable {
        /// Not at all: the writes are answered when they are durable.
        case never
        /// So long; then the writes are answered as accepted.
        case atMost(TimeAmount)
        /// Until the backend has answered.
        case always
    }

    /// Who judges the writes' preconditions, and when.
    let conditions: WriteConditions
    /// How long the answer waits for the backend.
    let wait: Wait
    /// How long what must see the program's own writes waits for them; `nil` for however long.
    let patience: TimeAmount?
    /// The status of a write that is refused because the backend cannot be reached.
    let offlineStatus: StatusCode
    /// Who writes, as the queue remembers it.
    let writer: Writer
    /// The identity under which a resent write is recognised; `nil` if the client gave none.
    let identity: WriteIdentity?

    /// The terms of a call.
    ///
    /// While the backend can be reached and the caller waits for it, the backend judges by its own
    /// documents, which are newer than the cache. Otherwise the caller is told here and now what is
    /// known here.
    ///
    /// - Parameter isNumbered: Whether the call's identity names these writes, and no others.
    /// - Throws: `invalidArgument` for an identity that is none.
    init(
        of session: GatewaySession, _ mode: GatewayMode, _ head: CallHead, isNumbered: Bool
    ) throws(HearthError) {
        let isInReach = session.unreachable == nil
        switch mode.writes {
        case .accepted: (conditions, wait) = (.judged, .never)
        case .committedIfOnline where !isInReach: (conditions, wait) = (.judged, .never)
        case .committedIfOnline:
            let patience = TimeAmount(mode.patience)
            let half = head.timeout.map { TimeAmount.nanoseconds($0.nanoseconds / 2) }
            (conditions, wait) = (.translated, .atMost(half.map { min($0, patience) } ?? patience))
        case .committed: (conditions, wait) = (.translated, .always)
        }
        patience = mode.writes == .committed ? nil : TimeAmount(mode.patience)
        offlineStatus = mode.offlineStatus
        writer = session.writer(ProgramName.read(head))
        identity = try isNumbered ? Self.identity(head, uid: writer.uid) : nil
    }

    /// Reads `hearth-request-id: CLIENT/SEQUENCE`, 32 hexadecimal digits and a number.
    private static func identity(
        _ head: CallHead, uid: UInt32
    ) throws(HearthError) -> WriteIdentity? {
        guard let text = head.metadata("hearth-request-id") else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 32,
            let high = UInt64(String(Substring(parts[0].prefix(16))), radix: 16),
            let low = UInt64(String(Substring(parts[0].dropFirst(16))), radix: 16),
            let sequence = UInt64(String(Substring(parts[1])))
        else {
            throw HearthError(
                code: .invalidArgument,
                message: "The metadata hearth-request-id is \"\(text)\", and must be 32 "
                    + "hexadecimal digits of the client, a slash and the number of its request.")
        }
        return WriteIdentity(
            uid: uid, client: ClientID(high: high, low: low), sequence: sequence)
    }
}
