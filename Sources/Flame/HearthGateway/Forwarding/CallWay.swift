import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRPC
import HearthServer
import Logging

/// The daemons that use this daemon as their backend and passed the calls of one session on.
///
/// A call that comes back to a daemon on its way is refused there. The engine's own calls name these
/// daemons too, since the engine may be asking on their behalf. For the event loop of the
/// connection.
final class CallWay {
    private var callers: Set<String> = []
    private var hasNotedCircle = false

    /// Calls have come through daemons, by whose names they are known.
    func note(_ names: Set<String>, at door: any BackendDoor) {
        let news = names.subtracting(callers)
        guard !news.isEmpty else { return }
        callers.formUnion(door.entered(through: Array(news)))
    }

    /// A call has come back to this daemon.
    ///
    /// - Returns: Whether that is news for operators.
    func noteCircle() -> Bool {
        defer { hasNotedCircle = true }
        return !hasNotedCircle
    }

    /// The session is over.
    func end(at door: any BackendDoor) {
        door.left(by: Array(callers))
        callers = []
    }
}

extension GatewaySession {
    /// Refuses a call that this daemon has made and that came back, and a call that too many
    /// daemons passed on. The daemon would pass such a call on over the connection that all
    /// programs share.
    func refuseCircle(_ head: CallHead) throws(HearthError) {
        let names = head.via
        guard !names.isEmpty else { return }
        let isCircle = names.contains { utf8Equals($0, service.door.via) }
        guard names.count <= GatewayLimits.viaCountMax, names.allSatisfy(Self.isName) else {
            throw isCircle ? .circle : .badVia
        }
        // Also in a circle: the circle's other daemons must not come round by another call.
        way.note(Set(names).filter { !utf8Equals($0, service.door.via) }, at: service.door)
        guard isCircle else { return }
        let parts = connection.parts
        if way.noteCircle(),
            parts.registry.throttle.admits("call in a circle", ofUser: connection.peer.payer)
        {
            parts.logger.error(
                "call in a circle",
                metadata: [
                    "session": "\(id)", "uid": "\(connection.peer.uid)",
                    "reason": "\(HearthError.circle.message)",
                ])
        }
        throw .circle
    }

    private static func isName(_ name: String) -> Bool {
        name.utf8.count <= GatewayLimits.viaByteCountMax
            && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension CallHead {
    /// The names of the daemons that the call came through, of one header or of several.
    var via: [String] {
        values(of: GatewayLimits.viaName).flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ",")).map { name in
                String(Substring(name.drop { $0 == UInt8(ascii: " ") }))
            }
        }
    }
}

extension HearthError {
    fileprivate static let badVia = argument(
        "The metadata \(GatewayLimits.viaName) names more than \(GatewayLimits.viaCountMax) daemons, "
            + "or one by more than \(GatewayLimits.viaByteCountMax) printable characters. A program "
            + "sends none.")
}
