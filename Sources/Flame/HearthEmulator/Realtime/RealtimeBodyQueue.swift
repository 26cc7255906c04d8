import Dispatch
import HearthBackend
import HearthRPC
import NIOCore

/// Reads the bodies of writes: short ones at once, long ones away from the event loop.
///
/// The queue reads one long body at a time. So many long bodies hold the memory of one unpacked
/// body and take one processor; the other bodies wait packed, as they came. A body whose connection
/// is gone is not read.
struct RealtimeBodyQueue: Sendable {
    private let queue = DispatchQueue(label: "hearth.emulator.realtime.bodies")

    /// Reads the body of a request.
    ///
    /// - Parameter then: Gets the write on the connection's event loop, at once or later; not called
    ///   if the connection ends before.
    func read(
        _ exchange: HTTPExchange, _ reader: RealtimeBodyReader,
        then: @escaping (HTTPExchange, Result<RealtimeCall.Verb, RealtimeBodyReader.Fault>) -> Void
    ) {
        let body = exchange.body
        guard body.isLong else { return then(exchange, Self.read(body, reader)) }
        let (ending, eventLoop) = (exchange.ending, exchange.eventLoop)
        let bound = NIOLoopBound((exchange, then), eventLoop: eventLoop)
        queue.async {
            if ending.hasCome { return }
            let result = Self.read(body, reader)
            // A loop that has ended takes no more work.
            if ending.hasCome { return }
            eventLoop.execute { bound.value.1(bound.value.0, result) }
        }
    }

    private static func read(
        _ body: HTTPBody, _ reader: RealtimeBodyReader
    ) -> Result<RealtimeCall.Verb, RealtimeBodyReader.Fault> {
        Result { () throws(RealtimeBodyReader.Fault) in try reader.verb(of: body) }
    }
}
