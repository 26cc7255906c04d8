import HearthRPC
import NIOHTTP1

/// The router of one connection, whose peer's user is known.
struct PeerRouter: HTTPRouter {
    /// The router of all connections.
    let router: ConsoleRouter
    /// The user whom the kernel names.
    let uid: UInt32

    func upgraders() -> [any HTTPServerProtocolUpgrader] { [] }

    func bodyByteCountMax(for head: HTTPRequestHead) -> Int {
        router.bodyByteCountMax(for: head, from: uid)
    }

    func answer(_ exchange: HTTPExchange) { router.answer(exchange, from: uid) }
}
