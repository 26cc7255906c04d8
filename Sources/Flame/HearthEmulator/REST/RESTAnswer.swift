import HearthModel
import HearthRPC
import NIOCore
import NIOHTTP1

/// The answer of a method as JSON: one object, or an array whose elements leave as the client takes them.
/// For one event loop.
final class RESTAnswer: HTTPStream {
    let exchange: HTTPExchange
    private let messageName: String
    private var faults: CallFaults?
    private var source: (any AnswerSource)?
    private var hasBegun = false

    /// An answer that is not there yet, of messages of a name.
    init(_ exchange: HTTPExchange, of messageName: String, faults: CallFaults?) {
        self.exchange = exchange
        self.messageName = messageName
        self.faults = faults
    }

    /// The service has answered.
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

    /// Who says that no more will come may still want the answer.
    func inputEnded() {}

    func closed() {
        source = nil
    }

    /// Sends of a long answer as much as the client takes.
    private func sendMore() {
        while source != nil, exchange.isWritable {
            do throws(HearthError) {
                let next = try source?.next()
                if next != nil, faults?.sends() == false { throw CallFaults.lost }
                try sendElement(next)
            } catch {
                source = nil
                if !hasBegun { return exchange.send(.error(error)) }
                // Half of an array has left; the only way to say no more is to break off.
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
