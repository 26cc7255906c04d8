import Glibc
import HearthEngine
import HearthModel
import HearthTestSupport
import HearthWire
import Synchronization

@testable import Hearth

/// A daemon that follows its test's orders, behind a real socket.
final class FakeDaemon: Sendable {
    static let database = DatabaseID(project: "demo")

    /// An instance of the Realtime Database.
    static let instance: EngineKey = {
        guard let instance = InstanceID(project: "demo") else {
            preconditionFailure("A project without an instance")
        }
        return .realtime(instance)
    }()

    let path: String
    let sessions: AsyncStream<FakeSession>
    private let listening: Int32

    /// A daemon with a database of its kind.
    init(_ database: EngineKey = .firestore(FakeDaemon.database)) throws {
        var random = SystemRandomNumberGenerator()
        path = "/tmp/hearth-test-\(random.next()).sock"
        listening = try Self.listen(at: path)
        let listening = listening
        let (stream, continuation) = AsyncStream.makeStream(of: FakeSession.self)
        sessions = stream
        WorkerThread.start {
            while true {
                let descriptor = Glibc.accept(listening, nil, nil)
                guard descriptor >= 0 else { break }
                continuation.yield(FakeSession(descriptor, database))
            }
            continuation.finish()
            Glibc.close(listening)
        }
    }

    deinit {
        shutdown(listening, Int32(SHUT_RDWR))
        unlink(path)
    }

    /// A client of this daemon.
    func firestore(
        connectTimeout: Duration = .seconds(60), clock: any ClientClock = SystemClock()
    ) -> Firestore {
        Firestore(
            settings: FirestoreSettings(
                socketPath: path, programName: "test", connectTimeout: connectTimeout),
            client: Hello.Client(high: 1, low: 2),
            pause: ReconnectPause(initial: .zero, longest: .zero), clock: clock)
    }

    /// A client of this daemon's instance.
    func realtime(connectTimeout: Duration = .seconds(60)) -> Hearth.Database {
        Hearth.Database(
            settings: DatabaseSettings(
                socketPath: path, programName: "test", connectTimeout: connectTimeout),
            client: Hello.Client(high: 1, low: 2),
            // Observers keep a client alive, so the client looks for its daemon after the test.
            pause: ReconnectPause(initial: .milliseconds(5), longest: .milliseconds(200)),
            clock: SystemClock())
    }

    private static func listen(at path: String) throws -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        let result = UnixAddress(path)?.use { bind(descriptor, $0, $1) }
        guard descriptor >= 0, result == 0, Glibc.listen(descriptor, 8) == 0 else {
            throw UnixSocket.Failure(description: "no socket at \(path)")
        }
        return descriptor
    }
}

/// One connection of a client, as the daemon sees it.
final class FakeSession: Sendable {
    /// What the client asked, and under which number.
    struct Asked: Sendable {
        let request: Request
        let number: UInt64
    }

    private let descriptor: Int32
    private let asked: AsyncStream<Asked>
    private let database: EngineKey
    private let codec: WireCodec

    init(_ descriptor: Int32, _ database: EngineKey) {
        self.descriptor = descriptor
        self.database = database
        codec = WireCodec(database)
        let (stream, continuation) = AsyncStream.makeStream(of: Asked.self)
        asked = stream
        let codec = codec
        WorkerThread.start {
            var decoder = FrameDecoder()
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0, let frames = try? decoder.frames(from: Array(buffer[..<count]))
                else { break }
                for frame in frames {
                    guard let request = try? codec.request(frame) else { continue }
                    continuation.yield(Asked(request: request, number: frame.request))
                }
            }
            continuation.finish()
            Glibc.close(descriptor)
        }
    }

    /// The next thing that the client asks; `nil` when it is gone.
    func next() async -> Asked? {
        var iterator = asked.makeAsyncIterator()
        return await iterator.next()
    }

    /// Answers.
    func send(_ event: Event, _ number: UInt64) throws {
        send(bytes: FrameEncoder.bytes(of: try codec.frame(of: event, number: number)))
    }

    /// Answers with nodes, in as many parts as are needed.
    func send(_ parts: NodeParts, _ number: UInt64) throws {
        var parts = parts
        while let event = parts.nextEvent() { try send(event, number) }
    }

    /// Sends bytes that need be no frame.
    func send(bytes: [UInt8]) {
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads the greeting and answers it.
    func greet() async throws -> Hello? {
        guard let first = await next(), case .session(.hello(let hello)) = first.request else {
            return nil
        }
        try send(.welcome(Events.welcome(to: database)), first.number)
        return hello
    }

    /// Breaks the connection.
    func close() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
