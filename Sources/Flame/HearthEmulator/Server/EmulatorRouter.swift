import HearthBackend
import HearthRPC
import NIOHTTP1

/// Routes a request by its target to Firestore or to the Realtime Database, which share a port.
struct EmulatorRouter: HTTPRouter {
    private let firestore: RESTService
    private let realtime: RealtimeService
    private let upgrade: RealtimeUpgrade

    /// Routes to both.
    init(firestore: RESTService, realtime: RealtimeService) {
        self.firestore = firestore
        self.realtime = realtime
        upgrade = RealtimeUpgrade(realtime)
    }

    func answer(_ exchange: HTTPExchange) {
        if let target = exchange.target, RealtimeAddress.claims(target) {
            realtime.answer(exchange)
        } else {
            firestore.answer(exchange)
        }
    }

    func bodyByteCountMax(for head: HTTPRequestHead) -> Int {
        guard let target = HTTPTarget(head.uri), RealtimeAddress.claims(target),
            ![".settings", ".inspect"].contains(target.segments[0])
        else {
            return ConnectionLimits.bodyByteCountMax
        }
        return RealtimeLimits.restWriteByteCountMax
    }

    func upgraders() -> [any HTTPServerProtocolUpgrader] { [upgrade.upgrader] }
}
