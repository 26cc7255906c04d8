package import HearthModel

/// Makes calls to an engine's backend as bytes, under the daemon's identity.
///
/// The door serves calls that an engine has no word for. What goes through the door changes neither
/// the engine nor its cache.
package protocol BackendDoor: Sendable {
    /// The daemon's name in the metadata `hearth-via` of every call that leaves the daemon.
    ///
    /// A call that comes in with this name has gone in a circle.
    var via: String { get }

    /// Whether the backend can be reached, as far as the last attempts tell.
    var reach: BackendReach { get }

    /// Tries whether the backend can be reached, unless an attempt was made a moment ago.
    ///
    /// Returns at once; `reach` has the result within a second.
    func knock()

    /// Notes that a program has come in whose calls the daemons `names` passed on.
    ///
    /// From now on the engine's own calls name the daemons too, for the engine may be asking on
    /// their behalf, and a backend that leads back to one of them must know.
    ///
    /// - Returns: The noted names; for each, `left` must follow.
    func entered(through names: [String]) -> [String]

    /// A program is gone whose calls came through these daemons.
    func left(by names: [String])

    /// Makes a call.
    ///
    /// The call is made once more with new credentials if the backend refused the credentials
    /// before any message came; no other failure is retried.
    ///
    /// - Parameter listener: Is told of the messages and of the end, on any thread, perhaps before
    ///   `call` returns.
    func call(_ request: DoorRequest, telling listener: DoorListener) -> any DoorCall
}

/// Whether a backend can be reached.
package enum BackendReach: Hashable, Sendable {
    /// Nobody has tried.
    case unknown
    /// The last attempt met the backend.
    case reachable
    /// The last attempt failed.
    case unreachable(HearthError)
}

/// One call through a `BackendDoor`: one request as bytes, for any number of messages.
package struct DoorRequest: Sendable {
    /// The method's name without its service, such as `RunQuery`.
    package let method: String
    /// The request, encoded.
    package let message: [UInt8]
    /// The request's routing fields with their values; `nil` if the request names the database.
    package var routing: KeyValuePairs<String, String>?
    /// How long the call may take; `nil` for as long as somebody waits.
    package var timeout: Duration?
    /// The daemons that the call came through before this daemon.
    package var via: [String] = []

    /// Names a method and its request.
    ///
    /// - Parameters:
    ///   - method: The method's name without its service, such as `RunQuery`.
    ///   - message: The request, encoded.
    ///   - routing: The request's routing fields with their values; `nil` if the request names the
    ///     database.
    ///   - timeout: How long the call may take; `nil` for as long as somebody waits.
    package init(
        _ method: String, _ message: [UInt8], routing: KeyValuePairs<String, String>? = nil,
        timeout: Duration? = nil
    ) {
        self.method = method
        self.message = message
        self.routing = routing
        self.timeout = timeout
    }
}

/// Who hears the answers of one call through a `BackendDoor`.
package struct DoorListener: Sendable {
    /// Takes a message's bytes. The next message is read only when this closure has returned, so a
    /// slow listener slows the backend.
    package let received: @Sendable ([UInt8]) async -> Void
    /// Hears of the end; called once, after all messages.
    package let ended: @Sendable (DoorEnd) -> Void

    /// Joins the closures.
    package init(
        received: @escaping @Sendable ([UInt8]) async -> Void,
        ended: @escaping @Sendable (DoorEnd) -> Void
    ) {
        self.received = received
        self.ended = ended
    }
}

/// How a call through a `BackendDoor` ended.
package struct DoorEnd: Hashable, Sendable {
    /// Why the call failed; `nil` if the call ended well.
    package let error: HearthError?
    /// The backend's `google.rpc.Status` about the error, encoded; empty if the backend sent none.
    package let details: [UInt8]
    /// Whether no connection could be made or the connection broke, so that the error is not the
    /// backend's word.
    package let isLost: Bool

    /// The backend ended the call in good order.
    package static let well = DoorEnd(error: nil, details: [])

    /// Joins an error with its details.
    ///
    /// - Parameters:
    ///   - error: Why the call failed; `nil` if the call ended well.
    ///   - details: The backend's `google.rpc.Status` about the error, encoded; empty if the
    ///     backend sent none.
    ///   - isLost: Whether no connection could be made or the connection broke, so that the error
    ///     is not the backend's word.
    package init(error: HearthError?, details: [UInt8] = [], isLost: Bool = false) {
        self.error = error
        self.details = details
        self.isLost = isLost
    }
}

/// A call under way through a `BackendDoor`.
package protocol DoorCall: Sendable {
    /// Ends the call, for nobody waits any more. The listener hears of the end all the same.
    func cancel()
}

/// The door of an engine without a backend: every call fails at once.
package struct ClosedDoor: BackendDoor {
    private struct EndedCall: DoorCall {
        func cancel() {}
    }

    private let error: HearthError

    package var via: String { "" }
    package var reach: BackendReach { .unreachable(error) }

    /// Takes the reason why there is no backend.
    package init(_ error: HearthError) { self.error = error }

    package func knock() {}
    package func entered(through names: [String]) -> [String] { [] }
    package func left(by names: [String]) {}

    package func call(_ request: DoorRequest, telling listener: DoorListener) -> any DoorCall {
        listener.ended(DoorEnd(error: error))
        return EndedCall()
    }
}

extension HearthError {
    /// The refusal of a call that a daemon passed on and that came back to the daemon.
    package static let circle = HearthError(
        code: .failedPrecondition,
        message: circleHead + ", at once or through other daemons: the address of a backend leads "
            + "back to the gateway. Look at FIRESTORE_EMULATOR_HOST and upstream.emulator of each "
            + "hearthd on the way.")

    private static let circleHead = "This call came from this daemon itself"

    /// Whether a daemon on the way has refused a call that came back to it.
    package var isCircle: Bool {
        code == Self.circle.code && message.hasPrefix(Self.circleHead)
    }
}
