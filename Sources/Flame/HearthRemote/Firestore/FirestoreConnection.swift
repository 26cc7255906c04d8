import HearthEngine
package import HearthFirestore
import HearthModel
import HearthRPC
import Synchronization

/// The engine's upstream over a channel: at most one watch stream and one write stream at a time.
///
/// A command for a stream that is no longer open is a race and is ignored; so is, by the engine, an
/// event of one.
package final class FirestoreConnection: EngineUpstream {
    private struct Streams {
        var watch: WatchStream?
        var write: WriteStream?
    }

    private let channel: FirestoreChannel
    private let sink: @Sendable (UpstreamEvent) async -> Void
    private let streams = Mutex(Streams())
    private let calls = OpenCalls()

    /// Joins an engine to a channel.
    ///
    /// - Parameter sink: Is told of events, one at a time for each stream; while it waits, that stream
    ///   reads nothing more.
    package init(
        _ channel: FirestoreChannel, sink: @escaping @Sendable (UpstreamEvent) async -> Void
    ) {
        self.channel = channel
        self.sink = sink
    }

    /// An engine that has released its connection wants no more events of its streams.
    deinit {
        let streams = streams.withLock { $0 }
        streams.watch?.close()
        streams.write?.close(goodbye: nil)
    }

    package func perform(_ command: UpstreamCommand) {
        switch command {
        case .openWatch(let number, let user):
            let stream = WatchStream(number, as: user, on: channel, sink: sink)
            streams.withLock { swap(&$0.watch, stream) }?.close()
        case .listen(let number, let request): watch(number)?.listen(request)
        case .unlisten(let number, let target): watch(number)?.unlisten(target)
        case .closeWatch(let number): takeWatch(number)?.close()
        case .openWrite(let number, let user):
            let stream = WriteStream(number, as: user, on: channel, sink: sink)
            streams.withLock { swap(&$0.write, stream) }?.close(goodbye: nil)
        case .handshake(let number): write(number)?.shakeHands()
        case .write(let number, let batch, let mutations, let token):
            write(number)?.send(batch, mutations, token)
        case .closeWrite(let number, let token): takeWrite(number)?.close(goodbye: token)
        case .call(let id, let call, let user):
            begin(call, id, as: user)
        case .abandon(let id): calls.remove(id)?.cancel()
        }
    }

    private func begin(_ call: BackendCall, _ id: RequestID, as user: UserID) {
        let unary = UnaryCalls(channel, as: user)
        let executor: (any TaskExecutor)? = call.isBrief ? channel.client.executor : nil
        calls.begin(id, on: executor) { [calls, sink] in
            let answer = await unary.answer(to: call)
            // Nobody waits for the answer of a call that was given up.
            if calls.remove(id) != nil { await sink(.called(id, answer)) }
        }
    }

    private func watch(_ number: StreamNumber) -> WatchStream? {
        streams.withLock { $0.watch?.number == number ? $0.watch : nil }
    }

    private func takeWatch(_ number: StreamNumber) -> WatchStream? {
        streams.withLock { $0.watch?.number == number ? swap(&$0.watch, nil) : nil }
    }

    private func write(_ number: StreamNumber) -> WriteStream? {
        streams.withLock { $0.write?.number == number ? $0.write : nil }
    }

    private func takeWrite(_ number: StreamNumber) -> WriteStream? {
        streams.withLock { $0.write?.number == number ? swap(&$0.write, nil) : nil }
    }
}

/// The calls that the engine waits for.
private final class OpenCalls: Sendable {
    private let tasks = Mutex<[RequestID: Task<Void, Never>]>([:])

    /// Begins a call, which cannot end before it is noted.
    ///
    /// - Parameter executor: Where the call's task runs; `nil` for the threads of all tasks.
    func begin(
        _ id: RequestID, on executor: (any TaskExecutor)?,
        _ body: @escaping @Sendable () async -> Void
    ) {
        tasks.withLock { $0[id] = Task(executorPreference: executor) { await body() } }
    }

    /// Takes a call; `nil` if the call was taken before.
    func remove(_ id: RequestID) -> Task<Void, Never>? {
        tasks.withLock { $0.removeValue(forKey: id) }
    }
}

extension BackendCall {
    /// The most documents of a brief call.
    private static let briefCountMax = 10

    /// Whether request and answer are short enough to be written and read on the event loop.
    fileprivate var isBrief: Bool {
        if case .read(let keys) = self { keys.count <= Self.briefCountMax } else { false }
    }
}

extension UnaryCalls {
    /// Makes an engine's call.
    func answer(to call: BackendCall) async -> BackendAnswer {
        do throws(HearthError) {
            switch call {
            case .read(let keys):
                return .read(try await documents(keys))
            case .run(let query):
                return .read(try await run(query))
            case .commit(let mutations):
                let commit = try await commit(mutations)
                return .committed(at: commit.committedAt, commit.results)
            case .aggregate(let aggregations, let query):
                return .aggregated(try await run(aggregations, over: query))
            }
        } catch {
            return .failed(error)
        }
    }
}

/// Puts a value in a place and returns what was there.
private func swap<Value>(_ place: inout Value?, _ value: Value?) -> Value? {
    defer { place = value }
    return place
}
