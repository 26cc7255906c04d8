import HearthModel
import NIOCore
import NIOPosix
import Synchronization

@testable import HearthRPC

/// Our own client on a Unix socket.
struct RPCClient: Sendable {
    let channel: ClientChannel

    /// What came back of a call.
    struct Told: Sendable {
        var openedCount = 0
        var messages: [[UInt8]] = []
        var end: CallEnd?

        var texts: [String] { messages.map { String(decoding: $0, as: UTF8.self) } }
        var code: StatusCode? { end?.error?.code }
    }

    /// A client that has not connected.
    init(path: String, _ configure: (inout ClientConfiguration) -> Void = { _ in }) {
        var configuration = ClientConfiguration(authority: "localhost", name: "echo") {
            loop, initializer in
            ClientBootstrap(group: loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try initializer(channel) }
                }
                .connect(unixDomainSocketPath: path)
        }
        configure(&configuration)
        channel = ClientChannel(
            configuration, on: MultiThreadedEventLoopGroup.singleton.next())
    }

    /// Makes a call of one request and waits for its end.
    func call(
        _ method: String, _ text: String = "", metadata: [(name: String, value: String)] = [],
        timeout: TimeAmount? = nil
    ) async -> Told {
        let talk = RPCTalk(
            CallRequest("/echo.Echo/\(method)", metadata: metadata, timeout: timeout),
            on: channel, sending: Array(text.utf8))
        return await talk.end()
    }

    /// Begins a call of many requests.
    func talk(_ method: String = "Talk", takes count: Int = .max) -> RPCTalk {
        RPCTalk(CallRequest("/echo.Echo/\(method)"), on: channel, sending: nil, takes: count)
    }
}

/// A call under way, and what came of it so far.
final class RPCTalk: Sendable {
    private struct State {
        var told = RPCClient.Told()
        var waiter: CheckedContinuation<RPCClient.Told, Never>?
        var countLeft: Int
    }

    private let state: Mutex<State>
    private let made = Mutex<ClientCall?>(nil)

    /// Begins a call that takes so many messages, and then no more until `takeMore`.
    init(
        _ request: CallRequest, on channel: ClientChannel, sending message: [UInt8]?,
        takes count: Int = .max
    ) {
        state = Mutex(State(countLeft: count))
        let call = channel.call(
            request, sending: message,
            telling: CallListener(
                opened: { self.state.withLock { $0.told.openedCount += 1 } },
                received: { self.received($0) }, ended: { self.ended($0) }))
        made.withLock { $0 = call }
    }

    /// The call.
    var call: ClientCall {
        guard let call = made.withLock({ $0 }) else { preconditionFailure("The call is not begun") }
        return call
    }

    /// What came so far.
    var told: RPCClient.Told { state.withLock { $0.told } }

    /// Takes as many more messages.
    func takeMore(_ count: Int) {
        state.withLock { $0.countLeft = count }
        call.resume()
    }

    /// Waits for the end, and returns all that came.
    func end() async -> RPCClient.Told {
        await withCheckedContinuation { continuation in
            let told = state.withLock { state -> RPCClient.Told? in
                if state.told.end != nil { return state.told }
                state.waiter = continuation
                return nil
            }
            if let told { continuation.resume(returning: told) }
        }
    }

    private func received(_ message: ByteBuffer) -> Bool {
        state.withLock { state in
            state.told.messages.append(Array(message.readableBytesView))
            state.countLeft -= 1
            return state.countLeft > 0
        }
    }

    private func ended(_ end: CallEnd) {
        let (waiter, told) = state.withLock { state in
            precondition(state.told.end == nil, "A call ended twice")
            state.told.end = end
            defer { state.waiter = nil }
            return (state.waiter, state.told)
        }
        waiter?.resume(returning: told)
    }
}
