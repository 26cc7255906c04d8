import Glibc
import HearthModel
import NIOCore

/// Accepts clients on a TCP port of the loopback interface.
///
/// Nothing is read of a client before the kernel has said whose it is; a client whose user the
/// kernel cannot tell is disconnected.
struct LoopbackListener: SocketListener {
    /// Where the listener listens, with the port that the system chose.
    let address: LoopbackAddress
    private let thread: AcceptThread

    /// Listens at an address.
    ///
    /// - Parameters:
    ///   - address: The address; port 0 lets the system choose.
    ///   - entrance: Where clients come in.
    ///   - tell: Called when nobody can be accepted, and when clients are accepted again.
    /// - Throws: `unavailable` if the address cannot be had.
    init(
        at address: LoopbackAddress, entrance: Entrance, tell: @escaping AcceptThread.Tell
    ) throws(HearthError) {
        let descriptor = try Self.bind(address)
        self.address = address.with(port: BoundAddress(of: descriptor)?.port)
        let peers = LoopbackPeers()
        thread = try AcceptThread(descriptor, tell: tell) { socket in
            guard let uid = socket.loopbackUser else { return .turnedAway }
            let payer = SubordinateUsers.ofMachine.owner(of: uid)
            return entrance.bring(socket, paidBy: payer, isAdministrator: { uid == 0 }) {
                socket, loop in
                // If the user cannot be looked up, the socket is dropped.
                peers.peer(uid, on: loop).whenSuccess { peer in
                    entrance.serve(socket, paidBy: payer, on: loop) { peer }
                }
            }
        }
    }

    func stop() async { await thread.stop() }

    private static func bind(_ address: LoopbackAddress) throws(HearthError) -> Int32 {
        let place: SocketAddress
        do {
            place = try SocketAddress(ipAddress: address.host, port: address.port)
        } catch {
            throw HearthError(code: .unavailable, message: "\(error)")
        }
        let family = place.protocol == .inet ? AF_INET : AF_INET6
        let descriptor = socket(
            family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var isOn: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        let isBound = place.withSockAddr { Glibc.bind(descriptor, $0, socklen_t($1)) == 0 }
        guard isBound else {
            let reason = lastError()
            close(descriptor)
            throw HearthError(code: .unavailable, message: "Cannot bind: \(reason).")
        }
        return descriptor
    }
}
