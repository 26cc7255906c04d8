import HearthModel
import NIOCore
import Synchronization

@testable import HearthRPC

/// A service that knows nothing but bytes: it says them again.
///
///     /echo.Echo/Say    one and one; metadata that begins with `echo-` comes back in the trailers
///     /echo.Echo/Fail   an error with metadata
///     /echo.Echo/Count  answers without end, a kilobyte each
///     /echo.Echo/Wait   answers when the test lets it
///     /echo.Echo/Talk   many and many
final class EchoService: CallService {
    static let paths: [String: CallMethod] = {
        let methods: [(String, CallMethod.Shape)] = [
            ("Say", .unary), ("Fail", .unary), ("Count", .serverStreaming), ("Wait", .unary),
            ("Talk", .bidirectional),
        ]
        return Dictionary(
            uniqueKeysWithValues: methods.enumerated().map { number, method in
                let call = CallMethod(name: method.0, shape: method.1, number: number)
                return ("/echo.Echo/\(method.0)", call)
            })
    }()

    let name = "echo"
    let unreadByteCountMax: Int
    /// Answers that were made by `Count`.
    let counted = Atomic<Int>(0)
    /// Calls of `Wait` that are not answered.
    private let waiting = Mutex<[CallReply]>([])
    /// The bytes that connections last said they hold.
    let held = Mutex((unfinished: 0, unread: 0))
    /// The timeouts of calls of `Say`, in nanoseconds.
    let timeouts = Mutex<[Int64?]>([])

    init(unreadByteCountMax: Int = ConnectionLimits.unreadByteCountMax) {
        self.unreadByteCountMax = unreadByteCountMax
    }

    var waitingCount: Int { waiting.withLock { $0.count } }

    /// Answers all calls of `Wait`, from this thread.
    func release() {
        let replies = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for reply in replies { reply(.success(.message(Array("at last".utf8)))) }
    }

    func holds(unfinished: Int, unread: Int) {
        held.withLock { $0 = (unfinished, unread) }
    }

    func method(at path: String) -> CallMethod? { Self.paths[path] }

    func answer(_ call: CallHead, _ request: ByteBuffer, _ reply: @escaping CallReply) {
        switch call.method.name {
        case "Say":
            timeouts.withLock { $0.append(call.timeout?.nanoseconds) }
            var answer = Answer.message(Array(request.readableBytesView))
            answer.initial = ["echo-caller": call.authorization ?? "nobody"]
            answer.trailing = call.metadata(prefix: "echo-")
            reply(.success(answer))
        case "Fail":
            var answer = Answer(
                .error(HearthError(code: .failedPrecondition, message: "As was wished.")))
            answer.trailing.add("echo-detail-bin", bytes: [0, 255, 7])
            reply(.success(answer))
        case "Count":
            reply(.success(.messages(Counting(service: self))))
        default:
            waiting.withLock { $0.append(reply) }
        }
    }

    func open(
        _ call: CallHead, answering sender: any CallSender, on eventLoop: any EventLoop,
        faults: CallFaults?
    ) throws(HearthError) -> any BidirectionalCall {
        guard call.authorization != "nobody" else {
            throw HearthError(code: .unauthenticated, message: "Say who you are.")
        }
        return EchoTalk(sender, caller: call.authorization)
    }

    private struct Counting: AnswerSource {
        let service: EchoService

        mutating func next() -> [UInt8]? {
            service.counted.add(1, ordering: .relaxed)
            return Array(repeating: 7, count: 1_024)
        }
    }
}

/// One call of `Talk`: each request comes back, and the trailers say how many there were.
private final class EchoTalk: BidirectionalCall {
    let isBusy = false
    private let sender: any CallSender
    private var count = 0

    init(_ sender: any CallSender, caller: String?) {
        self.sender = sender
        sender.begin(["echo-caller": caller ?? "nobody"])
    }

    func received(_ request: ByteBuffer) {
        count += 1
        sender.send(Array(request.readableBytesView))
    }

    func ended() {
        sender.finish(nil, ["echo-count": "\(count)"])
    }

    func becameWritable() {}

    func closed() {}
}
