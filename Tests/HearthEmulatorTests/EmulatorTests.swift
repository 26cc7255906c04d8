import GRPCCore
import HearthEmulator
import HearthModel
import HearthProtocol
import HearthTestSupport
import SwiftProtobuf
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EmulatorTests {
    @Test func `a write can be read, and a missing document is told so`() async throws {
        try await withEmulator { _, client, _ in
            let commit = try await client.set(["c/a": 1])
            let document = try await client.get("c/a")
            #expect(document.updateTime == commit.commitTime)
            let error = await #expect(throws: RPCError.self) { try await client.get("c/b") }
            #expect(error?.code == .notFound)
        }
    }

    @Test func `a restarted emulator goes on where its folder ends`() async throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        let token = try await withEmulator(dataFolder: folder.path) { _, client, _ in
            try await client.set(["c/a": 1, "c/b": 2, "c/c": 3])
            let told = try await client.listen([RawClient.target(2, collection: "c")]) {
                $0.isSnapshot
            }
            try await client.delete("c/a")
            return told.last?.targetChange.resumeToken
        }
        let resumeToken = try #require(token)
        try await withEmulator(dataFolder: folder.path) { _, client, _ in
            try await client.set(["c/b": 4])
            var target = RawClient.target(2, collection: "c")
            target.resumeToken = resumeToken
            let told = try await client.listen([target]) { $0.isSnapshot }
            #expect(told.count == 5)
            #expect(told[1].documentDelete.document == RawClient.name("c/a"))
            #expect(told[2].documentChange.document.name == RawClient.name("c/b"))
            #expect(told[3].targetChange.targetChangeType == .current)
        }
    }

    @Test func `a folder in use is refused`() async throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        try await withEmulator(dataFolder: folder.path) { _, _, _ in
            let error = await #expect(throws: HearthError.self) {
                try await withEmulator(dataFolder: folder.path) { _, _, _ in }
            }
            #expect(error?.code == .unavailable)
        }
    }

    @Test func `a lost answer loses the answer and not the write`() async throws {
        try await withEmulator { emulator, client, _ in
            emulator.faults.inject(Fault(method: "Commit", .loseAnswer))
            let error = await #expect(throws: RPCError.self) { try await client.set(["c/a": 1]) }
            #expect(error?.code == .unavailable)
            let name = try await client.get("c/a").name
            #expect(name == RawClient.name("c/a"))
        }
    }

    @Test func `a refused call does nothing`() async throws {
        try await withEmulator { emulator, client, _ in
            let refusal = HearthError(code: .resourceExhausted, message: "Not now.")
            emulator.faults.inject(Fault(method: "Commit", .refuse(refusal)))
            let error = await #expect(throws: RPCError.self) { try await client.set(["c/a": 1]) }
            #expect(error?.code == .resourceExhausted)
            #expect(error?.message == "Not now.")
            await #expect(throws: RPCError.self) { try await client.get("c/a") }
            try await client.set(["c/a": 1])
        }
    }

    @Test func `a cut stream ends after its messages`() async throws {
        try await withEmulator { emulator, client, _ in
            emulator.faults.inject(Fault(method: "Listen", .cutStream(afterMessageCount: 2)))
            let error = await #expect(throws: RPCError.self) {
                try await client.listen([RawClient.target(2, collection: "c")]) { _ in false }
            }
            #expect(error?.code == .unavailable)
        }
    }

    @Test func `commits at the same time are all made`() async throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        try await withEmulator(dataFolder: folder.path) { _, client, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask { try await client.set(["c/\(number)": Int64(number)]) }
                }
                try await group.waitForAll()
            }
        }
        try await withEmulator(dataFolder: folder.path) { _, client, _ in
            let told = try await client.listen([RawClient.target(2, collection: "c")]) {
                $0.isSnapshot
            }
            #expect(told.count == 103)
        }
    }

    @Test(arguments: [
        ("127.0.0.1:8080", EmulatorAddress.tcp(host: "127.0.0.1", port: 8080)),
        ("[::1]:1", .tcp(host: "::1", port: 1)), ("unix:/run/x", .unix(path: "/run/x")),
    ])
    func `an address is read as it is written`(text: String, address: EmulatorAddress) throws {
        #expect(try EmulatorAddress(text) == address)
        #expect("\(address)" == text)
    }

    @Test(arguments: ["8080", "host:port", "unix:", "a:70000"])
    func `what is no address is refused`(text: String) {
        #expect(throws: HearthError.self) { try EmulatorAddress(text) }
    }
}

extension EmulatorTests {
    @Test func `a client that counts is told how many documents it should have`() async throws {
        try await withEmulator { emulator, client, _ in
            try await client.set(["c/a": 1, "c/b": 2])
            let told = try await client.listen([RawClient.target(2, collection: "c")]) {
                $0.isSnapshot
            }
            try await client.delete("c/a")
            try await emulator.forgetHistory()
            var target = RawClient.target(2, collection: "c")
            target.resumeToken = try #require(told.last?.targetChange.resumeToken)
            target.expectedCount.value = 2
            let resumed = try await client.listen([target]) { $0.isSnapshot }
            #expect(resumed.count == 4)
            #expect(resumed[1].filter.count == 1)
            #expect(resumed[1].filter.hasUnchangedNames)
            target.clearExpectedCount()
            let reset = try await client.listen([target]) { $0.isSnapshot }
            #expect(reset[1].targetChange.targetChangeType == .reset)
        }
    }
}
