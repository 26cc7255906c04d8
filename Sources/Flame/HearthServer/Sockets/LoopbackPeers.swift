import CLinux
import Dispatch
import Glibc
import NIOCore
import Synchronization

/// Asks the kernel whose the other end of a connection over loopback is.
///
/// Over TCP nobody shows credentials, but both ends are sockets of this machine: the kernel knows
/// the owner of the client's socket (NETLINK_SOCK_DIAG). Only an established connection whose
/// client still has its socket names an owner. The process and its unit stay unknown, so rules
/// that allow something to a unit never match, and rules that deny something to a unit do.
final class LoopbackPeers: Sendable {
    private struct Known {
        let groups: [UInt32]
        let gid: UInt32
        let at: ContinuousClock.Instant

        func peer(_ uid: UInt32) -> Peer {
            var peer = Peer(uid: uid, gid: gid, pid: 0, groups: groups)
            peer.isUnitKnown = false
            return peer
        }
    }

    private struct State {
        var known: [UInt32: Known] = [:]
        var waiting: [UInt32: [EventLoopPromise<Peer>]] = [:]
    }

    /// How long the groups of a user are remembered. A connection over the Unix socket shows the
    /// groups of its process, which are as old as the process.
    private static let memoryTime = Duration.seconds(10)
    /// Users whose groups are remembered.
    private static let knownCountMax = 1_024

    private let state = Mutex(State())
    /// Where the system's names are asked for, which may take long.
    private let queue = DispatchQueue(label: "hearth.loopback")

    /// The peer of a connection that was just accepted; called on its event loop.
    ///
    /// - Returns: A future that fails if no process owns the other end.
    func peer(of channel: any Channel) -> EventLoopFuture<Peer> {
        let promise = channel.eventLoop.makePromise(of: Peer.self)
        guard let client = channel.remoteAddress, let server = channel.localAddress,
            let uid = Self.owner(of: client, connectedWith: server)
        else {
            promise.fail(Unknown())
            return promise.futureResult
        }
        complete(uid, promise)
        return promise.futureResult
    }

    /// Nobody owns the other end, or the kernel does not tell.
    private struct Unknown: Error {}

    private func complete(_ uid: UInt32, _ promise: EventLoopPromise<Peer>) {
        let (known, isFirst) = state.withLock { state -> (Known?, Bool) in
            if let known = state.known[uid], .now - known.at < Self.memoryTime {
                return (known, false)
            }
            state.waiting[uid, default: []].append(promise)
            return (nil, state.waiting[uid]?.count == 1)
        }
        if let known { return promise.succeed(known.peer(uid)) }
        if isFirst { queue.async { self.lookUp(uid) } }
    }

    private func lookUp(_ uid: UInt32) {
        let (gid, groups) = SystemNames.groups(ofUser: uid)
        let found = Known(groups: groups, gid: gid, at: .now)
        let waiting = state.withLock { state in
            if state.known.count >= Self.knownCountMax { state.known = [:] }
            state.known[uid] = found
            return state.waiting.removeValue(forKey: uid) ?? []
        }
        for promise in waiting { promise.succeed(found.peer(uid)) }
    }

    /// The Unix user whose socket is bound to one address and connected with another.
    private static func owner(
        of own: SocketAddress, connectedWith other: SocketAddress
    ) -> UInt32? {
        guard var ownEnd = clinux_tcp_end(own), var otherEnd = clinux_tcp_end(other) else {
            return nil
        }
        var uid: UInt32 = 0
        let family = own.protocol == .inet ? AF_INET : AF_INET6
        return clinux_tcp_owner(family, &ownEnd, &otherEnd, &uid) == 0 ? uid : nil
    }
}

extension clinux_tcp_end {
    /// The end at an address; `nil` if the address is of neither IPv4 nor IPv6.
    fileprivate init?(_ address: SocketAddress) {
        self.init()
        guard let port = address.port, let text = address.ipAddress else { return nil }
        self.port = UInt16(port)
        let family = address.protocol == .inet ? AF_INET : AF_INET6
        guard inet_pton(family, text, &self.address) == 1 else { return nil }
    }
}
