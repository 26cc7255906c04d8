import HearthModel
import HearthRPC
import NIOCore

/// A transport whose client takes as much as the test allows. For one event loop.
final class SlowSender: CallSender {
    var isWritable: Bool
    var unreadByteCount = 0
    private(set) var sent: [[UInt8]] = []
    private(set) var end: Result<Void, HearthError>?
    /// The call. The sender tells the call of its end as HearthRPC does.
    var call: (any BidirectionalCall)?

    init(isWritable: Bool) { self.isWritable = isWritable }

    func sendSoon() { call?.becameWritable() }
    func begin(_ metadata: CallMetadata) {}
    func send(_ message: [UInt8]) { sent.append(message) }
    func becameIdle() {}

    func finish(_ error: HearthError?, _ metadata: CallMetadata) {
        guard end == nil else { return }
        end = error.map { .failure($0) } ?? .success(())
        let call = call
        self.call = nil
        call?.closed()
    }

    /// Why the call ended; `nil` if it goes on, or ended well.
    var error: HearthError? {
        if case .failure(let error)? = end { error } else { nil }
    }
}
