import FoundationEssentials
import GRPCCore
import Glibc
import HearthModel
import HearthProtocol
import HearthTestSupport
import HearthWire
import SwiftProtobuf
import Testing

@testable import HearthGateway
@testable import HearthServer

/// Watch streams through a daemon's gateway, with a backend behind it.
@Suite(.timeLimit(.minutes(2)))
struct ListenCallTests {
    private static let begin = ["ADD", "CURRENT", "NO_CHANGE"]

    @Test func `a listener is told what others write, with the real times`() async throws {
        try await GatewayBench.run { bench in
            try await bench.withDirectClient { backend in
                _ = try await backend.commit("rooms/hall", 1)
                try await bench.withClient { client in
                    let talk = ListenTalk(client)
                    talk.listen(to: "rooms")
                    try await talk.hears(["ADD", "hall", "CURRENT", "NO_CHANGE"])
                    let written = try await backend.commit("rooms/attic", 2)
                    try await talk.hears(
                        ["ADD", "hall", "CURRENT", "NO_CHANGE", "attic", "NO_CHANGE"])
                    let attic = talk.messages[4].documentChange.document
                    #expect(attic.updateTime == written.writeResults[0].updateTime)
                    #expect(attic.createTime == attic.updateTime)
                    #expect(attic.fields.first { $0.key == "n" }?.value.integerValue == 2)
                    let point = talk.messages[5].targetChange
                    #expect(point.targetIds.isEmpty && !point.resumeToken.isEmpty)
                    #expect(point.readTime.nanos % 1_000 == 0)
                    _ = try await backend.commit("rooms/hall", nil)
                    try await talk.hears(
                        ["ADD", "hall", "CURRENT", "NO_CHANGE", "attic", "NO_CHANGE"]
                            + ["deleted hall", "NO_CHANGE"])
                }
            }
        }
    }

    /// The client keeps documents of a picture that broke off, and lays the next picture over them.
    @Test func `Python's client without a token is told to forget what it may have`() async throws {
        try await GatewayBench.run { bench in
            try await bench.withDirectClient { backend in
                _ = try await backend.commit("rooms/hall", 1)
                try await bench.withClient { client in
                    let python = ListenTalk(
                        client, ["user-agent": "grpc-python/1.60.0 grpc-c/37.0.0"])
                    python.listen(to: "rooms")
                    try await python.hears(["ADD", "RESET", "hall", "CURRENT", "NO_CHANGE"])
                    let other = ListenTalk(client)
                    other.listen(to: "rooms")
                    try await other.hears(["ADD", "hall", "CURRENT", "NO_CHANGE"])
                }
            }
        }
    }

    @Test func `a stream has many targets, and each ends alone`() async throws {
        try await GatewayBench.run { bench in
            try await bench.withDirectClient { backend in
                _ = try await backend.commit("rooms/hall", 1)
                try await bench.withClient { client in
                    let talk = ListenTalk(client)
                    talk.listen(toDocuments: ["rooms/hall", "rooms/none"], as: 3)
                    try await talk.hears(["ADD", "deleted none", "hall", "CURRENT", "NO_CHANGE"])
                    talk.ask { $0.removeTarget = 3 }
                    talk.ask { $0.removeTarget = 4 }
                    talk.listen(to: "rooms", as: 4) {
                        $0.query.structuredQuery.select.fields = [.with { $0.fieldPath = "n" }]
                        $0.query.structuredQuery.offset = 1
                    }
                    let before = ["ADD", "deleted none", "hall", "CURRENT", "NO_CHANGE", "REMOVE"]
                    try await talk.hears(before + Self.begin)
                    _ = try await backend.commit("rooms/last", 7)
                    try await talk.hears(before + Self.begin + ["last", "NO_CHANGE"])
                    let last = talk.messages[9].documentChange
                    #expect(last.targetIds == [4])
                    #expect(last.document.fields.map(\.key) == ["n"])
                }
            }
        }
    }

    @Test func `what is wrong with a target ends it alone, a name that is taken the stream`()
        async throws
    {
        try await GatewayBench.run { bench in
            try await bench.withClient { client in
                let talk = ListenTalk(client)
                talk.ask { $0.addTarget.targetID = 1 }
                talk.listen(to: "rooms", as: 2) {
                    $0.query.structuredQuery.findNearest.limit.value = 3
                }
                talk.listen(to: "rooms", as: 3) {
                    $0.query.parent = "projects/other/databases/(default)/documents"
                }
                talk.listen(to: "rooms", as: 4) { $0.query.structuredQuery.limit.value = -1 }
                talk.listen(to: "rooms", as: 5)
                let refused = ["ADD", "REMOVE 3"]
                try await talk.hears(refused + refused + refused + refused + Self.begin)
                talk.listen(to: "rooms", as: 5)
                let end = try await talk.endsWith()
                #expect(end?.code == .invalidArgument)
            }
        }
    }

    @Test(arguments: [true, false])
    func `a client that comes back is told what differs, or everything anew`(
        isKnown: Bool
    ) async throws {
        try await GatewayBench.run { bench in
            try await bench.withDirectClient { backend in
                _ = try await backend.commit("rooms/hall", 1)
                _ = try await backend.commit("rooms/attic", 1)
                try await bench.withClient { client in
                    let talk = ListenTalk(client)
                    talk.listen(to: "rooms")
                    try await talk.hears(["ADD", "attic", "hall", "CURRENT", "NO_CHANGE"])
                    let token = try #require(talk.token)
                    talk.stop()
                    let end = try await talk.endsWith()
                    #expect(end == nil)
                    _ = try await backend.commit("rooms/hall", 2)
                    let again = ListenTalk(client)
                    again.listen(
                        to: "rooms", resumingAt: isKnown ? token : token + Array("x".utf8))
                    try await again.hears(
                        isKnown
                            ? ["ADD", "hall", "CURRENT", "NO_CHANGE"]
                            : ["ADD", "RESET", "attic", "hall", "CURRENT", "NO_CHANGE"])
                }
            }
        }
    }

    @Test func `rights that a reload takes away end the target, not the stream`() async throws {
        let me = Peer(uid: 4_242, gid: 4_242, pid: 1)
        let rules = AccessPolicy(
            rules: [.init(name: "strangers read", subject: .uid(4_242), rights: [.read])])
        try await GatewayBench.run {
            $0.access = rules
        } _: { bench in
            try await bench.withClient(as: me) { client in
                let talk = ListenTalk(client)
                talk.listen(to: "rooms")
                try await talk.hears(Self.begin)
                bench.server.registry.reconfigure(
                    bench.server.settings.change { $0.access = AccessPolicy(rules: []) })
                try await talk.hears(Self.begin + ["REMOVE 7"])
                talk.listen(to: "rooms", as: 2)
                try await talk.hears(Self.begin + ["REMOVE 7", "ADD", "REMOVE 7"])
            }
        }
    }

    @Test func `offline a query that nobody ever asked shows nothing, and the local socket all`()
        async throws
    {
        try await GatewayBench.run(isOnline: false) { bench in
            try await bench.withClient { client in
                let talk = ListenTalk(client)
                talk.listen(to: "rooms")
                try await talk.hears(["ADD"])
                let local = ListenTalk(client, ["hearth-reads": "cache-first"])
                local.listen(to: "rooms")
                try await local.hears(Self.begin)
                let time = local.messages[2].targetChange.readTime
                #expect(time.nanos % 1_000 == 2)
                #expect(talk.words == ["ADD"])
            }
        }
    }

    @Test func `a wrong project ends the stream for good`() async throws {
        try await GatewayBench.run { bench in
            try await bench.withClient { client in
                let talk = ListenTalk(client, project: "dmeo")
                talk.listen(to: "rooms")
                let end = try await talk.endsWith()
                #expect(end?.code == .failedPrecondition)
            }
        }
    }

    @Test func `a stream that ends leaves no listener behind`() async throws {
        try await GatewayBench.run { bench in
            try await bench.withClient { client in
                let talk = ListenTalk(client)
                talk.listen(to: "rooms")
                try await talk.hears(Self.begin)
                let me = geteuid()
                #expect(bench.server.registry.figures(ofUser: me).listenerCount == 1)
                talk.abandon()
                _ = try await eventually(
                    { bench.server.registry.figures(ofUser: me).listenerCount },
                    is: { $0 == 0 })
            }
        }
    }
}
