import CLinux
import Glibc
import Synchronization

/// A connection that was accepted and that no event loop has yet. Whoever drops the connection closes
/// the connection.
final class AcceptedSocket: Sendable {
    /// The descriptor, which does not block.
    let descriptor: Int32
    private let isTaken = Atomic(false)

    /// Takes a descriptor over.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        if !isTaken.load(ordering: .relaxed) { close(descriptor) }
    }

    /// The descriptor for somebody who closes the descriptor from now on. To be called once.
    func take() -> Int32 {
        isTaken.store(true, ordering: .relaxed)
        return descriptor
    }

    /// Whether the client has ended its side and has sent nothing.
    var hasLeft: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
    }

    /// Who connected a Unix socket, as the kernel noted at that moment; `nil` if the kernel does not
    /// tell.
    var credentials: clinux_ucred? {
        var credentials = clinux_ucred()
        return clinux_peer_credentials(descriptor, &credentials) == 0 ? credentials : nil
    }

    /// The Unix user whose socket is at the other end of a TCP connection; `nil` if no process has that
    /// socket.
    var loopbackUser: UInt32? {
        var uid: UInt32 = 0
        return clinux_tcp_peer(descriptor, &uid) == 0 ? uid : nil
    }
}
