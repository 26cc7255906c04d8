import Dispatch
import HearthRPC
import NIOCore

/// Reads the bodies of requests by REST, of both databases: short ones at once, long ones away from
/// the event loop.
///
/// One long body is read at a time, so that many of them hold the memory of one unpacked body, and
/// take one processor; the others wait as they came. A body whose connection is gone is not read.
struct BodyQueue: Sendable {
    /// Where long bodies are read.
    let queue = DispatchQueue(label: "hearth.emulator.bodies")

    /// Reads the body of a request.
    ///
    /// - Parameters:
    ///   - work: Makes something of the body, on any thread.
    ///   - then: Gets what `work` made on the connection's event loop, at once or later; not called
    ///     if the connection ends before.
    func read<Value: Sendable>(
        _ exchange: HTTPExchange, _ work: @escaping @Sendable (HTTPBody) -> Value,
        then: @escaping (HTTPExchange, Value) -> Void
    ) {
        let body = exchange.body
        guard body.isLong else { return then(exchange, work(body)) }
        let (ending, eventLoop) = (exchange.ending, exchange.eventLoop)
        let bound = NIOLoopBound((exchange, then), eventLoop: eventLoop)
        queue.async {
            if ending.hasCome { return }
            let value = work(body)
            // A loop that has ended takes no more work.
            if ending.hasCome { return }
            eventLoop.execute { bound.value.1(bound.value.0, value) }
        }
    }
}
