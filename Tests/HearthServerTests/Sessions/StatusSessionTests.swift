import HearthEngine
import HearthFirestore
import HearthModel
import HearthWire
import Testing

@testable import HearthServer

/// Listeners to the daemon's state on the sockets of a real server with the real engine.
@Suite(.timeLimit(.minutes(1)))
struct StatusSessionTests {
    private static func client(_ path: String) throws -> SocketClient {
        let client = try SocketClient(path: path)
        _ = try client.greet(ServerRun.database)
        return client
    }

    private static func write(_ client: SocketClient, _ sequence: UInt64) throws {
        let hall = try DocumentKey(parsing: "rooms/hall")
        let mutation = Mutation(key: hall, kind: .set(["n": .integer(Int64(sequence))]))
        try client.send(
            .firestore(
                .write(.init(sequence: sequence, answeredBelow: 0, mutations: [mutation]))),
            number: 1_000 + sequence)
    }

    /// What a state shows once a write is accepted: nothing changes any more then.
    private static func settled(
        _ writer: SocketClient, after sequence: UInt64
    ) throws -> StatusReport {
        while try writer.receive().number != 1_000 + sequence {}
        try writer.send(.inquiry(.status), number: 2_000)
        while true {
            guard case (2_000, .report(.status(let report))) = try writer.receive() else {
                continue
            }
            return StatusScope.database.essence(of: report)
        }
    }

    /// Reads until a state comes that is looked for; the states on the way.
    private static func states(
        _ client: SocketClient, _ number: UInt64, until isLast: (StatusReport) -> Bool
    ) throws -> [StatusReport] {
        var states: [StatusReport] = []
        while states.last.map(isLast) != true {
            let (answered, event) = try client.receive()
            guard answered == number, case .report(.status(let report)) = event else { continue }
            states.append(report)
        }
        return states
    }

    @Test func `a listener hears of each write, and of nothing while nothing changes`()
        async throws
    {
        try await ServerRun.runOffline { path, _ in
            let listener = try Self.client(path)
            let writer = try Self.client(path)
            try listener.send(.session(.listenToStatus(.database)), number: 2)
            try Self.hearEachWrite(listener, writer)
            try Self.hearNothing(listener, path)
            try listener.send(.session(.unlisten), number: 2)
            try Self.write(writer, 21)
            try listener.send(.inquiry(.status), number: 31)
            #expect(try listener.receive().number == 31)
        }
    }

    private static func hearEachWrite(_ listener: SocketClient, _ writer: SocketClient) throws {
        _ = try states(listener, 2) { $0.queueBatchCount == 0 }
        var last: StatusReport?
        for sequence in UInt64(1)...20 {
            try write(writer, sequence)
            let told = try states(listener, 2) { $0.queueBatchCount == Int(sequence) }
            #expect(told.allSatisfy { $0.queueBatchCount <= Int(sequence) })
            last = told.last.map { StatusScope.database.essence(of: $0) }
        }
        let end = try settled(writer, after: 20)
        if last != end {
            _ = try states(listener, 2) { StatusScope.database.essence(of: $0) == end }
        }
    }

    /// Clients that come, read and go change nothing that a state shows.
    private static func hearNothing(_ listener: SocketClient, _ path: String) throws {
        for number in UInt64(3)...30 {
            let guest = try client(path)
            try guest.send(.inquiry(.status), number: 2)
            _ = try guest.receive()
            try listener.send(.session(.ping), number: number)
            let answer = try listener.receive()
            #expect(answer.number == number && answer.event == .done)
        }
    }

    @Test func `a storm of writes is told in few frames, and its end is told`() async throws {
        try await ServerRun.runOffline { path, _ in
            let listener = try Self.client(path)
            let writer = try Self.client(path)
            try listener.send(.session(.listenToStatus(.database)), number: 2)
            let began = ContinuousClock.now
            let count = 500
            for sequence in 1...count { try Self.write(writer, UInt64(sequence)) }
            let told = try Self.states(listener, 2) { $0.queueBatchCount == count }
            let time = ContinuousClock.now - began
            #expect(told.count <= 3 + Int(time / StatusBoard.pause))
        }
    }

    @Test func `a listener to all databases hears of those who come and go`() async throws {
        try await ServerRun.runOffline { path, _ in
            let listener = try Self.client(path)
            try listener.send(.session(.listenToStatus(.allDatabases)), number: 2)
            func count(_ isRight: (Int) -> Bool) throws {
                while true {
                    guard case (2, .report(.inspection(let inspection))) = try listener.receive(),
                        let report = inspection.databases.first, isRight(report.clientCount)
                    else { continue }
                    return
                }
            }
            try count { $0 == 1 }
            // Its own listener is none that operators are told of.
            try listener.send(.session(.listenToStatus(.allDatabases)), number: 3)
            var first: Inspection?
            while first == nil {
                if case (3, .report(.inspection(let told))) = try listener.receive() {
                    first = told
                }
            }
            #expect(first?.databases.map(\.listenerCount) == [0])
            let guest = try Self.client(path)
            try count { $0 == 2 }
            guest.cut()
            try count { $0 == 1 }
        }
    }
}
