import HearthModel
import HearthRPC
import NIOCore
import NIOHTTP1

/// The answer of a method as JSON: one object, or an array.
///
/// An array's elements leave as fast as the client reads. For one event loop.
final class RESTAnswer: HTTPStream {
    let exchange: HTTPExchange
    private let messageName: String
    private var faults: CallFaults?
    private var source: (any AnswerSource)?
    private var hasBegun = false

    /// An answer that has not come yet.
    ///
    /// - Parameter messageName: The name of the answer's messages in `ProtoSchema`.
    init(_ exchange: HTTPExchange, of messageName: String, faults: CallFaults?) {
        self.exchange = exchange
        self.messageName = messageName
        self.faults = faults
    }

    /// Sends the service's answer.
    func answered(_ result: Result<Answer, HearthError>) {
        do throws(HearthError) {
            switch try result.get().content {
            case .message(let bytes):
                if faults?.sends() == false { throw CallFaults.lost }
                exchange.send(.json(try ProtoToJSON.json(of: bytes, as: messageName)))
            case .messages(let source):
                self.source = source
                sendMore()
            case .error(let error):
                throw error
            }
        } catch {
            exchange.send(.error(error))
        }
    }

    func becameWritable() {
        sendMore()
    }

    /// A client that will send no more may still want the answer.
    func inputEnded() {}

    func closed() {
        source = nil
    }

    /// Sends as much of a long answer as the client takes.
    private func sendMore() {
        while source != nil, exchange.isWritable {
            do throws(HearthError) {
                let next = try source?.next()
                if next != nil, faults?.sends() == false { throw CallFaults.lost }
                try sendElement(next)
            } catch {
                source = nil
                if !hasBegun { return exchange.send(.error(error)) }
                // Part of an array has left; only a broken connection can tell the client of the
                // error.
                exchange.breakOff()
            }
        }
        exchange.flush()
    }

    private func sendElement(_ message: [UInt8]?) throws(HearthError) {
        var buffer = ByteBuffer()
        if let message {
            let json = try ProtoToJSON.json(of: message, as: messageName)
            buffer.writeString(hasBegun ? ",\n" : "[")
            buffer.writeBytes(json)
        } else {
            buffer.writeString(hasBegun ? "]\n" : "[]\n")
        }
        if !hasBegun {
            exchange.begin(.ok, ["content-type": "application/json"], self)
            hasBegun = true
        }
        exchange.write(buffer)
        if message == nil {
            source = nil
            exchange.end()
        }
    }
}
