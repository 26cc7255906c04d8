import CLinux
import Glibc
import NIOCore
import Synchronization

/// The open connections of a console, each with the user whom the kernel names as its peer's.
final class ConsolePeers: Sendable {
    private struct State {
        var door: ConsoleDoor
        var channels: [ObjectIdentifier: (uid: UInt32, channel: any Channel)] = [:]
    }

    private let state: Mutex<State>

    /// Nobody has come.
    init(_ door: ConsoleDoor) {
        state = Mutex(State(door: door))
    }

    /// Takes a connection that was just accepted, until it closes.
    ///
    /// - Returns: The peer's user.
    /// - Throws: If the kernel names no user, or the door takes no connection of the user.
    func take(_ channel: any Channel) throws -> UInt32 {
        guard let uid = Self.owner(ofPeerOf: channel) else { throw Refused() }
        let key = ObjectIdentifier(channel)
        let isTaken = state.withLock { state in
            guard state.door.come(uid) else { return false }
            state.channels[key] = (uid, channel)
            return true
        }
        guard isTaken else { throw Refused() }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { state in
                state.channels[key] = nil
                state.door.leave(uid)
            }
        }
        return uid
    }

    /// Whether a user is answered.
    func answers(_ uid: UInt32) -> Bool { state.withLock { $0.door.answers(uid) } }

    /// Opens the door to the user who brought the secret, and closes the connections of others.
    func open(to uid: UInt32) {
        let others = state.withLock { state in
            state.door.open(to: uid)
            return state.channels.values.filter { !state.door.answers($0.uid) }.map(\.channel)
        }
        for channel in others { channel.close(promise: nil) }
    }

    /// The connection has no place here.
    private struct Refused: Error {}

    /// The user whose socket is the other end of a connection.
    private static func owner(ofPeerOf channel: any Channel) -> UInt32? {
        guard var peer = clinux_tcp_end(channel.remoteAddress),
            var own = clinux_tcp_end(channel.localAddress)
        else { return nil }
        var uid: UInt32 = 0
        return clinux_tcp_owner(AF_INET, &peer, &own, &uid) == 0 ? uid : nil
    }
}

extension clinux_tcp_end {
    /// The end at an address of IPv4; `nil` for any other address, at which no console listens.
    fileprivate init?(_ place: SocketAddress?) {
        self.init()
        guard let place, place.protocol == .inet, let port = place.port, let text = place.ipAddress,
            inet_pton(AF_INET, text, &address) == 1
        else { return nil }
        self.port = UInt16(port)
    }
}
