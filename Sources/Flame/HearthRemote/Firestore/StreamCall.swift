import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore
import SwiftProtobuf
import Synchronization

/// The listener of a bidirectional call: opened at most once, then answers, closed at most once.
///
/// The call awaits each closure before the next. So the call takes the next message only when the
/// listener has taken the last message, and a slow engine slows the backend by HTTP/2's own flow
/// control.
struct StreamListener: Sendable {
    /// Requests can be sent.
    let opened: @Sendable () async -> Void
    /// A message came. An error of this closure ends the call with the error, as unreadable.
    let answered: @Sendable (ByteBuffer) async throws -> Void
    /// The call is over.
    let closed: @Sendable (StreamEnd) async -> Void
}

/// How a bidirectional call ended.
enum StreamEnd: Sendable {
    /// It ended; without an error if the backend ended it in good order.
    case ended(HearthError?)
    /// We ended it, because something came that we cannot read.
    case unreadable(HearthError)

    /// Why the call failed; `nil` if the backend ended it in good order.
    var failure: HearthError? {
        switch self {
        case .ended(let error): error
        case .unreadable(let error): error
        }
    }
}

/// One bidirectional call: sends requests, tells the listener the answers, decides nothing.
///
///     opening --opened--> open --(answers)--> closed
final class StreamCall<Request: Message>: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// The call, once there is a token to show.
        var call: ClientCall?
        /// What is sent when there is a call. Bounded by the sender: an engine has few targets, and
        /// at most ten batches on the way.
        var unsent: [[UInt8]] = []
        var isConcluded = false
        var goodbye: Scheduled<Void>?
        /// We ended the call and want to hear nothing more of it.
        var isSilenced = false
        /// Why we ended the call, if its listener has to know.
        var failure: HearthError?
    }

    private let state = Mutex(State())
    private let channel: FirestoreChannel
    private let listener: StreamListener
    private let user: UserID

    /// Starts a call on behalf of a user.
    init(
        _ method: FirestoreMethod, on channel: FirestoreChannel, as user: UserID,
        listener: StreamListener
    ) {
        self.channel = channel
        self.listener = listener
        self.user = user
        let task = Task(executorPreference: channel.client.executor) {
            let end = await self.run(method)
            await self.tell(end)
        }
        state.withLock { $0.task = task }
    }

    /// Sends a message, after those before it. Too late is harmless.
    func send(_ request: Request) {
        let bytes: [UInt8]
        do {
            bytes = try request.serializedBytes()
        } catch {
            return fail(
                HearthError(
                    code: .invalidArgument, message: "The request cannot be sent. \(error)"))
        }
        state.withLock { state in
            if state.isConcluded { return }
            if let call = state.call { call.send(bytes) } else { state.unsent.append(bytes) }
        }
    }

    /// Ends the call at once with an error of ours, and tells the listener the error.
    func fail(_ error: HearthError) {
        state.withLock {
            $0.failure = error
            $0.task?.cancel()
        }
    }

    /// Ends the call at once. Nothing is told any more.
    func cancel() {
        state.withLock {
            $0.isSilenced = true
            $0.task?.cancel()
        }
    }

    /// Sends nothing more and gives the backend a while to end the call. Nothing is told any more.
    func finish() {
        state.withLock { $0.isSilenced = true }
        conclude()
    }

    /// Sends nothing more and gives the backend a while to answer what it has, and to end the call. The
    /// listener is told of both.
    func conclude() {
        state.withLock { state in
            if state.isConcluded { return }
            state.isConcluded = true
            state.call?.halfClose()
            let task = state.task
            state.goodbye = channel.client.eventLoop.scheduleTask(
                in: TimeAmount(ChannelLimits.goodbyeTimeout)
            ) { task?.cancel() }
        }
    }

    /// Whether no more answers are told.
    private var isEnded: Bool { state.withLock { $0.isSilenced || $0.failure != nil } }

    private func tell(_ end: StreamEnd) async {
        let (isSilenced, failure) = state.withLock { state in
            state.goodbye?.cancel()
            return (state.isSilenced, state.failure)
        }
        if !isSilenced { await listener.closed(failure.map { .ended($0) } ?? end) }
    }

    /// Makes the call and returns how it ended.
    private func run(_ method: FirestoreMethod) async -> StreamEnd {
        let identity: CallIdentity
        do throws(HearthError) {
            identity = try await channel.headers.identity(as: user)
        } catch {
            return .ended(error)
        }
        let end = await exchange(method, showing: identity)
        if let failure = end.failure { await channel.ended(failure, showing: identity) }
        return end
    }

    private func exchange(
        _ method: FirestoreMethod, showing identity: CallIdentity
    ) async -> StreamEnd {
        let inbox = CallInbox()
        let call = channel.client.call(
            FirestoreChannel.request(method.path, showing: identity), telling: inbox.listener)
        start(call)
        return await withTaskCancellationHandler {
            await take(from: inbox, of: call, showing: identity)
        } onCancel: {
            call.cancel()
        }
    }

    private func start(_ call: ClientCall) {
        state.withLock { state in
            state.call = call
            for bytes in state.unsent { call.send(bytes) }
            state.unsent = []
            if state.isConcluded { call.halfClose() }
        }
    }

    private func take(
        from inbox: CallInbox, of call: ClientCall, showing identity: CallIdentity
    ) async -> StreamEnd {
        var isBelieved = false
        while true {
            switch await inbox.next(of: call) {
            case .opened:
                if !isEnded { await listener.opened() }
            case .message(let message):
                if isEnded { continue }
                if let end = await take(message, isFirst: !isBelieved, showing: identity) {
                    call.cancel()
                    return end
                }
                isBelieved = true
            case .end(let end):
                guard end.isUnreadable, let failure = end.failure else {
                    return .ended(end.failure)
                }
                return .unreadable(failure)
            }
        }
    }

    /// Tells the listener a message.
    ///
    /// - Returns: Why the call must end; `nil` if the call goes on.
    private func take(
        _ message: ByteBuffer, isFirst: Bool, showing identity: CallIdentity
    ) async -> StreamEnd? {
        if isFirst {
            if channel.headers.lacksCaller(identity) { return .ended(.calledMeanwhile) }
            await channel.answered(identity)
        }
        do {
            try await listener.answered(message)
            return nil
        } catch {
            return .unreadable(HearthError(error))
        }
    }
}

extension CallHeaders {
    /// Whether a daemon has begun to call here after a stream was opened that does not name it.
    ///
    /// Two daemons, each the backend of the other, may open their streams at the same moment. Then
    /// neither stream names the other daemon, and neither daemon would refuse the other's stream.
    fileprivate func lacksCaller(_ identity: CallIdentity) -> Bool {
        !via.isEmpty && callers.known().contains { !identity.way.contains($0) }
    }
}

extension HearthError {
    fileprivate static let calledMeanwhile = HearthError(
        code: .unavailable,
        message: "Another daemon began to ask this one while the backend was asked. The backend is "
            + "asked again on behalf of both.")
}
