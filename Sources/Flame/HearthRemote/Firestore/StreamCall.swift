import GRPCCore
import GRPCProtobuf
import HearthModel
import SwiftProtobuf
import Synchronization

/// The listener of a bidirectional call: opened at most once, then answers, closed at most once.
///
/// The call awaits each closure before the next. So the call reads the next message only when the
/// listener has taken the last message, and a slow engine slows the backend by HTTP/2's own flow
/// control.
struct StreamListener<Answer: Sendable>: Sendable {
    /// Requests can be sent.
    let opened: @Sendable () async -> Void
    /// A message came. An error of this closure ends the call with the error.
    let answered: @Sendable (Answer) async throws -> Void
    /// The call is over; without an error if the backend ended it in good order.
    let closed: @Sendable (HearthError?) async -> Void
}

/// One bidirectional call: sends requests, tells the listener the answers, decides nothing.
///
///     opening --opened--> open --(answers)--> closed
final class StreamCall<Request: Message, Answer: Sendable>: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// We ended the call and want to hear nothing more of it.
        var isSilenced = false
        /// Why we ended the call, if its listener has to know.
        var failure: HearthError?
    }

    private let requests: AsyncStream<Request>.Continuation
    private let state = Mutex(State())
    private let listener: StreamListener<Answer>
    private let user: UserID

    /// Starts a call on behalf of a user.
    init(
        _ method: MethodDescriptor, on channel: FirestoreChannel, as user: UserID,
        reading deserializer: some MessageDeserializer<Answer>, listener: StreamListener<Answer>
    ) {
        // Bounded by the sender: an engine has few targets, and at most ten batches on the way.
        let (requests, continuation) = AsyncStream.makeStream(of: Request.self)
        self.requests = continuation
        self.listener = listener
        self.user = user
        let task = Task {
            let error = await self.run(
                method, on: channel, requests: requests, reading: deserializer)
            await self.end(error)
        }
        state.withLock { $0.task = task }
    }

    /// Sends a message, after those before it. Too late is harmless.
    func send(_ request: Request) {
        requests.yield(request)
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
        let task = state.withLock { $0.task }
        requests.finish()
        Task {
            let deadline = Task {
                try await Task.sleep(for: ChannelLimits.goodbyeTimeout)
                task?.cancel()
            }
            await task?.value
            deadline.cancel()
        }
    }

    private var isSilenced: Bool { state.withLock { $0.isSilenced } }

    private func end(_ error: HearthError?) async {
        let (isSilenced, failure) = state.withLock { ($0.isSilenced, $0.failure) }
        if !isSilenced { await listener.closed(failure ?? error) }
    }

    /// Makes the call and returns how it ended.
    private func run(
        _ method: MethodDescriptor, on channel: FirestoreChannel, requests: AsyncStream<Request>,
        reading deserializer: some MessageDeserializer<Answer>
    ) async -> HearthError? {
        let identity: CallIdentity
        do throws(HearthError) {
            identity = try await channel.headers.identity(as: user)
        } catch {
            return error
        }
        let failure = await exchange(
            method, on: channel, showing: identity, requests: requests, reading: deserializer)
        if let failure { await channel.ended(failure, showing: identity) }
        return failure
    }

    private func exchange(
        _ method: MethodDescriptor, on channel: FirestoreChannel, showing identity: CallIdentity,
        requests: AsyncStream<Request>, reading deserializer: some MessageDeserializer<Answer>
    ) async -> HearthError? {
        let request = StreamingClientRequest<Request>(metadata: identity.metadata) { writer in
            if !self.isSilenced { await self.listener.opened() }
            for await request in requests { try await writer.write(request) }
        }
        do {
            return try await channel.client.bidirectionalStreaming(
                request: request, descriptor: method, serializer: ProtobufSerializer<Request>(),
                deserializer: deserializer, options: FirestoreChannel.streamOptions
            ) { response in
                do {
                    var isBelieved = false
                    for try await answer in response.messages where !self.isSilenced {
                        if !isBelieved { await channel.answered(identity) }
                        isBelieved = true
                        try await self.listener.answered(answer)
                    }
                    return nil
                } catch {
                    return HearthError(error)
                }
            }
        } catch {
            return HearthError(error)
        }
    }
}
