import HearthTestSupport
import Synchronization
import Testing

/// An emulator with a folder that dies at any moment, under load.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct EmulatorCrashTests {
    private static let documents = "projects/p/databases/(default)/documents"
    private static let writerCount = 6

    /// A writer's knowledge of its commits.
    private struct Tally {
        var answered = 0
        var unanswered = 0
    }

    /// What all writers know.
    private final class Tallies: Sendable {
        private let tallies = Mutex(Array(repeating: Tally(), count: writerCount))

        func tally(of writer: Int) -> Tally { tallies.withLock { $0[writer] } }

        /// Counts a commit, and returns how many of all are answered.
        func add(_ isAnswered: Bool, of writer: Int) -> Int {
            tallies.withLock { tallies in
                if isAnswered {
                    tallies[writer].answered += 1
                } else {
                    tallies[writer].unanswered += 1
                }
                return tallies.reduce(0) { $0 + $1.answered }
            }
        }
    }

    @Test func `every answered commit is there once, whenever the emulator is killed`() async throws
    {
        let world = try World()
        let client = RESTClient(path: String(world.emulatorAddress.dropFirst("unix:".count)))
        let tallies = Tallies()
        for round in 1...4 {
            if round > 1 { try world.startEmulator() }
            try await ready(client)
            await withTaskGroup(of: Void.self) { group in
                for writer in 0..<Self.writerCount {
                    group.addTask {
                        await Self.write(as: writer, round, tallies, client, world)
                    }
                }
            }
        }
        try world.startEmulator()
        try await ready(client)
        var made = 0
        for writer in 0..<Self.writerCount {
            let tally = tallies.tally(of: writer)
            let sum = try await sum(of: writer, client)
            // What was cut off may have been made or not; nothing else may differ.
            #expect(sum >= tally.answered && sum <= tally.answered + tally.unanswered)
            made += sum
        }
        let page = try await client.ask(
            "GET", "/v1/\(Self.documents)/commits?pageSize=100000&mask.fieldPaths=none")
        #expect(page.text.ranges(of: "/commits/").count == made)
    }

    /// Commits until the emulator is gone, and kills it when enough are answered.
    private static func write(
        as writer: Int, _ round: Int, _ tallies: Tallies, _ client: RESTClient, _ world: World
    ) async {
        while true {
            let tally = tallies.tally(of: writer)
            let isAnswered = await commit(tally.answered + tally.unanswered, of: writer, client)
            let total = tallies.add(isAnswered, of: writer)
            if !isAnswered { return }
            if total >= 120 * round { world.killEmulator() }
        }
    }

    /// Adds one to a sum and makes a document, both or neither; tells whether it was answered.
    private static func commit(_ number: Int, of writer: Int, _ client: RESTClient) async -> Bool {
        let body = """
            {"writes":[{"transform":{"document":"\(documents)/sums/\(writer)",\
            "fieldTransforms":[{"fieldPath":"n","increment":{"integerValue":1}}]}},\
            {"update":{"name":"\(documents)/commits/\(writer)-\(number)"},\
            "currentDocument":{"exists":false}}]}
            """
        let answer = try? await client.ask("POST", "/v1/\(documents):commit", body)
        return answer?.status == 200
    }

    private func sum(of writer: Int, _ client: RESTClient) async throws -> Int {
        let answer = try await client.ask("GET", "/v1/\(Self.documents)/sums/\(writer)")
        guard let start = answer.text.ranges(of: #""integerValue":""#).first?.upperBound else {
            return 0
        }
        return Int(answer.text[start...].prefix { $0 != "\"" }) ?? 0
    }

    private func ready(_ client: RESTClient) async throws {
        _ = try await eventually {
            try? await client.ask("GET", "/").status
        } is: {
            $0 == 200
        }
    }
}
