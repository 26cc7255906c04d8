import CLinux
import Dispatch
import Glibc

/// Hears from the kernel when this machine gets a network: a link that comes up, an address, a route.
///
/// Only a hint that trying again is worth it. Whether the backend is there is known when it answers.
final class NetworkWatch: @unchecked Sendable {  // A dispatch source is safe to share.
    /// How long what belongs together may take: a link, its addresses, its routes.
    private static let settlingTime = Duration.seconds(0.25)
    /// How often at most anything is told: machines that run containers have new links all the time.
    private static let pause = Duration.seconds(5)

    private let source: any DispatchSourceRead

    /// An element for each return of the network; several in a row may be one.
    private let returns: AsyncStream<Void>

    /// Listens from now on; `nil` where the kernel does not tell.
    init?() {
        let socket = clinux_open_route_socket()
        guard socket >= 0 else { return nil }
        let (returns, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.returns = returns
        source = DispatchSource.makeReadSource(fileDescriptor: socket)
        source.setEventHandler {
            if Self.readAll(from: socket) { continuation.yield() }
        }
        source.setCancelHandler { close(socket) }
        source.activate()
    }

    deinit { source.cancel() }

    /// Tells of each return of the network, until the task is cancelled.
    func run(_ tell: @Sendable () -> Void) async {
        for await _ in returns {
            try? await Task.sleep(for: Self.settlingTime)
            if Task.isCancelled { return }
            tell()
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// Reads all messages that wait, and returns whether a message reports an available network.
    private static func readAll(from socket: Int32) -> Bool {
        var isReturn = false
        var buffer = [UInt8](repeating: 0, count: 32 << 10)
        while true {
            let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                isReturn = RouteMessages(buffer[..<count]).tellOfNetwork || isReturn
            } else if count < 0, errno == ENOBUFS {
                isReturn = true  // So much happened that some of it was dropped.
            } else {
                return isReturn
            }
        }
    }
}
