import NIOCore
import NIOHTTP1

/// An upgrader whose refusals can be told from errors of the connection.
///
/// NIO lets a refusal go through the pipeline as an error, and then the request that was refused. The
/// connection must not close over the first, since the second is to be answered.
final class RefusableUpgrader: HTTPServerProtocolUpgrader {
    /// The upgrader refused a request.
    struct Refusal: Error {}

    private let upgrader: any HTTPServerProtocolUpgrader

    /// Refuses what another upgrader refuses.
    init(_ upgrader: any HTTPServerProtocolUpgrader) {
        self.upgrader = upgrader
    }

    var supportedProtocol: String { upgrader.supportedProtocol }

    var requiredUpgradeHeaders: [String] { upgrader.requiredUpgradeHeaders }

    func buildUpgradeResponse(
        channel: any Channel, upgradeRequest: HTTPRequestHead, initialResponseHeaders: HTTPHeaders
    ) -> EventLoopFuture<HTTPHeaders> {
        upgrader.buildUpgradeResponse(
            channel: channel, upgradeRequest: upgradeRequest,
            initialResponseHeaders: initialResponseHeaders
        ).flatMapErrorThrowing { _ in throw Refusal() }
    }

    func upgrade(
        context: ChannelHandlerContext, upgradeRequest: HTTPRequestHead
    ) -> EventLoopFuture<Void> {
        upgrader.upgrade(context: context, upgradeRequest: upgradeRequest)
    }
}
