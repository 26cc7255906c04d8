import GRPCCore
import HearthEngine
import HearthModel
import HearthProtocol
import HearthTestSupport
import SwiftProtobuf
import Testing

@testable import HearthGateway
@testable import HearthServer

/// Commits through the gateway, online and offline.
@Suite(.timeLimit(.minutes(2)))
struct CommitCallTests {
    @Test func `online a commit is answered by the backend's times and results`() async throws {
        try await GatewayBench.run(Writes.patiently) { bench in
            try await bench.withClient { client in
                let told = try await client.commit(
                    Writes.set("rooms/a", 1) {
                        $0.updateTransforms = [
                            .with {
                                $0.fieldPath = "n"
                                $0.increment = .with { $0.integerValue = 4 }
                            }
                        ]
                    })
                #expect(told.header("hearth-state") == "committed")
                #expect(told.header("hearth-batch") == "1")
                let results = told.messages.first?.writeResults.first?.transformResults
                #expect(results?.map(\.integerValue) == [5])
                try await bench.withDirectClient { direct in
                    let document = try await direct.document("rooms/a")
                    #expect(document?.updateTime == told.updateTime)
                    #expect(document?.fields.first?.value.integerValue == 5)
                }
            }
        }
    }

    @Test func `online the backend judges, and its refusal is told and is no dead letter`()
        async throws
    {
        try await GatewayBench.run(Writes.patiently) { bench in
            try await bench.withDirectClient { direct in
                _ = try await direct.commit(Writes.set("rooms/a", 1))
                try await bench.withClient { client in
                    let told = try await client.refusal(of: Writes.create("rooms/a", 2))
                    let straight = try await direct.refusal(of: Writes.create("rooms/a", 2))
                    #expect(told.code == .alreadyExists)
                    #expect(told.message == straight.message)
                }
            }
        }
    }

    @Test func `offline a commit is accepted at once under a promise`() async throws {
        try await GatewayBench.run(isOnline: false) { bench in
            try await bench.withClient { client in
                let told = try await client.commit(Writes.set("rooms/a", 1))
                #expect(told.header("hearth-state") == "accepted")
                #expect(told.isPromise)
                #expect(told.messages.first?.commitTime == told.updateTime)
                let next = try await client.commit(Writes.set("rooms/a", 2))
                #expect(next.isPromise && next.updateTime != told.updateTime)
            }
        }
    }

    @Test func `offline a create of what waits is refused at once, in the backend's words`()
        async throws
    {
        try await GatewayBench.run(isOnline: false) { bench in
            try await bench.withClient { client in
                _ = try await client.commit(Writes.create("rooms/a", 1))
                let error = try await client.refusal(of: Writes.create("rooms/a", 2))
                #expect(error.code == .alreadyExists)
                #expect(error.message == "Document already exists: \(Writes.root)/rooms/a")
            }
        }
    }

    @Test func `what was read offline is changed and written twice, and lands online`()
        async throws
    {
        try await GatewayBench.run(Writes.patiently) { bench in
            try await bench.withClient { client in
                _ = try await client.commit(Writes.set("rooms/a", 1))
                bench.setNetwork(isEnabled: false)
                let local: Metadata = ["hearth-writes": "accepted"]
                let first = try await client.commit(Writes.set("rooms/a", 2), metadata: local)
                let second = try await client.commit(
                    Writes.set("rooms/a", 3, ifUnchangedSince: first.updateTime), metadata: local)
                var plain = second.updateTime  // As a client without nanoseconds gives it back.
                plain.nanos -= plain.nanos % 1_000
                _ = try await client.commit(
                    Writes.set("rooms/a", 4, ifUnchangedSince: plain), metadata: local)
                bench.setNetwork(isEnabled: true)
                try await bench.withDirectClient { direct in
                    _ = try await eventually {
                        try await direct.number(in: "rooms/a")
                    } is: {
                        $0 == 4
                    }
                }
            }
        }
    }

    @Test func `a promise given back online stands for the version that the backend gave`()
        async throws
    {
        try await GatewayBench.run(Writes.patiently) { bench in
            try await bench.withClient { client in
                let accepted = try await client.commit(
                    Writes.set("rooms/a", 1), metadata: ["hearth-writes": "accepted"])
                #expect(accepted.isPromise)
                for writes in ["committed-if-online", "committed"] {
                    let told = try await client.commit(
                        Writes.set("rooms/\(writes)", 1), metadata: ["hearth-writes": "accepted"])
                    let next = try await client.commit(
                        Writes.set("rooms/\(writes)", 2, ifUnchangedSince: told.updateTime),
                        metadata: ["hearth-writes": .string(writes)])
                    #expect(!next.isPromise)
                }
            }
        }
    }

    @Test func `a mode that needs the backend is refused offline with the reason`() async throws {
        try await GatewayBench.run(isOnline: false) { bench in
            try await bench.withClient { client in
                let error = try await client.refusal(
                    of: Writes.set("rooms/a", 1), metadata: ["hearth-writes": "committed"])
                #expect(error.code == .failedPrecondition)
                #expect(Writes.reason(of: error).contains("HEARTH_OFFLINE"))
            }
        }
    }

    @Test func `a full queue refuses with a status that no client tries again`() async throws {
        try await GatewayBench.run(isOnline: false) {
            $0.queueLimits.uidBatchCountMax = 1
        } _: { bench in
            try await bench.withClient { client in
                _ = try await client.commit(Writes.set("rooms/a", 1))
                let error = try await client.refusal(of: Writes.set("rooms/a", 2))
                #expect(error.code == .failedPrecondition)
                #expect(Writes.reason(of: error).contains("HEARTH_QUEUE_FULL"))
            }
        }
    }

    @Test func `what no document can take is refused before the queue, as the backend does`()
        async throws
    {
        try await GatewayBench.run(Writes.patiently) { bench in
            let write = Writes.set("rooms/a", 1) { $0.update.fields[0].key = "__n__" }
            try await bench.withClient { client in
                try await bench.withDirectClient { direct in
                    let told = try await client.refusal(of: write)
                    let straight = try await direct.refusal(of: write)
                    #expect(told.code == straight.code)
                    #expect(told.message == straight.message)
                }
            }
        }
    }

    @Test func `a write that is sent again under its name is done once`() async throws {
        try await GatewayBench.run(isOnline: false) { bench in
            try await bench.withClient { client in
                let name: Metadata = ["hearth-request-id": "0123456789abcdef0123456789abcdef/7"]
                let first = try await client.commit(Writes.set("rooms/a", 1), metadata: name)
                let again = try await client.commit(Writes.set("rooms/a", 1), metadata: name)
                #expect(again.header("hearth-batch") == first.header("hearth-batch"))
                #expect(again.updateTime == first.updateTime)
                let error = try await client.refusal(
                    of: Writes.set("rooms/a", 1), metadata: ["hearth-request-id": "7"])
                #expect(error.code == .invalidArgument)
            }
        }
    }

    @Test func `a commit of nothing has a time, offline a promised one`() async throws {
        try await GatewayBench.run(Writes.patiently) { bench in
            try await bench.withClient { client in
                let online = try await client.commit()
                #expect(online.messages.first?.hasCommitTime == true)
                #expect(online.messages.first?.commitTime.nanos.isMultiple(of: 1_000) == true)
                bench.setNetwork(isEnabled: false)
                let offline = try await eventually {
                    try? await client.commit()
                } is: {
                    $0?.header("hearth-state") == "accepted"
                }
                #expect(offline?.messages.first?.commitTime.nanos.isMultiple(of: 1_000) == false)
                #expect(offline?.messages.first?.writeResults.isEmpty == true)
                let error = await #expect(throws: RPCError.self) {
                    _ = try await client.commit(metadata: ["hearth-writes": "committed"])
                }
                #expect(error?.code == .failedPrecondition)
            }
        }
    }
}
