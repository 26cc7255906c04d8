import NIOCore
import NIOHTTP1

/// An upgrader whose refusals differ from errors of the connection.
///
/// NIO sends a refusal through the pipeline as an error, and then the refused request. The
/// connection must not close at the error, because the router answers the request.
final class RefusableUpgrader: HTTPServerProtocolUpgrader {
    /// The upgrader refused a request.
    struct Refusal: Error {}

    private let upgrader: any HTTPServerProtocolUpgrader

    /// Refuses the requests that `upgrader` refuses.
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
