import GRPCCore
import Glibc
import HearthEngine
import HearthModel
import HearthProtocol
import HearthTestSupport
import HearthWire
import SwiftProtobuf
import Testing

@testable import HearthServer

/// Who connects decides what is answered: the kernel's word counts, and no token.
@Suite(.timeLimit(.minutes(2)))
struct GatewayAccessTests {
    private static let stranger = Peer(uid: 4_242, gid: 4_242, pid: 1)
    private static let guest = Peer(uid: 4_243, gid: 4_243, pid: 1)
    private static let rules = AccessPolicy(
        rules: [
            .init(name: "strangers", subject: .uid(4_242), rights: [.read, .write])
        ])

    private func status(
        of client: GatewayClient, project: String = "demo",
        database: String = DatabaseID.defaultName, metadata: Metadata = [:]
    ) async throws -> RPCError {
        let request = ProtoRollbackRequest.with {
            $0.database = DatabaseID(project: project, database: database).name
        }
        do {
            let _: Google_Protobuf_Empty = try await client.unary(
                .rollback, request, metadata: metadata)
            return RPCError(code: .unknown, message: "It was answered.")
        } catch let error as RPCError {
            return error
        }
    }

    /// The trailers' words about an error; a reason stands in them in plain spelling.
    private func details(of error: RPCError) -> String {
        let values = Array(error.metadata[binaryValues: "grpc-status-details-bin"])
        return String(decoding: values.first ?? [], as: UTF8.self)
    }

    @Test func `a uid without any right is refused whatever token it shows`() async throws {
        try await GatewayBench.run {
            $0.access = Self.rules
        } _: { bench in
            try await bench.withClient(as: Self.guest) { client in
                let error = try await status(
                    of: client, metadata: ["authorization": "Bearer owner"])
                #expect(error.code == .permissionDenied)
                #expect(error.message.contains("uid 4243"))
                #expect(details(of: error).contains("HEARTH_ACCESS"))
            }
            let other = try await bench.withClient(as: Self.stranger) { client in
                try await status(of: client)
            }
            #expect(other.code != .permissionDenied)
        }
    }

    private static let tokens = [
        "", "Bearer owner", "owner", "Bearer e30.eyJzdWIiOiJhbm4ifQ.", "Basic cm9vdDpyb290",
        "Bearer owner, Bearer owner",
    ]

    @Test(arguments: tokens)
    func `a uid without the right reads nothing, whatever token it shows`(token: String)
        async throws
    {
        let metadata: Metadata =
            token.isEmpty
            ? ["hearth-reads": "cache-first"]
            : ["hearth-reads": "cache-first", "authorization": "\(token)"]
        var rules = Self.rules.rules
        rules.append(
            .init(
                name: "neighbours", subject: .uid(4_244), rights: [.read],
                path: try ResourcePath(parsing: "halls")))
        let policy = AccessPolicy(rules: rules)
        try await GatewayBench.run(isOnline: false) {
            $0.access = policy
        } _: { bench in
            try await bench.withClient(as: Self.stranger) { client in
                _ = try await client.commit(Writes.set("rooms/a", 1))
                #expect(try await client.number(in: "rooms/a") == 1)
            }
            try await bench.withClient(as: Self.guest) { client in
                try await expectRefusals(client, metadata)
                let talk = ListenTalk(client, metadata)
                talk.listen(to: "rooms")
                let end = try await talk.endsWith()
                #expect(end?.code == .permissionDenied)
                #expect(talk.messages.isEmpty)
            }
            let neighbour = Peer(uid: 4_244, gid: 4_244, pid: 1)
            try await bench.withClient(as: neighbour) { client in
                try await expectRefusals(client, metadata)
                let talk = ListenTalk(client, metadata)
                talk.listen(to: "rooms")
                try await talk.hears(["ADD", "REMOVE 7"])
            }
        }
    }

    private func expectRefusals(_ client: GatewayClient, _ metadata: Metadata) async throws {
        for read in Read.allCases {
            let error = await #expect(throws: RPCError.self, "\(read)") {
                try await Self.read(read, client, metadata)
            }
            #expect(error?.code == .permissionDenied, "\(read)")
        }
    }

    /// The calls that read.
    private enum Read: CaseIterable {
        case document, documents, query, count, list, collections, parts
    }

    private static func read(
        _ read: Read, _ client: GatewayClient, _ metadata: Metadata
    ) async throws {
        switch read {
        case .document:
            let _: ProtoDocument = try await client.unary(
                .getDocument,
                ProtoGetDocumentRequest.with { $0.name = "\(Writes.root)/rooms/a" },
                metadata: metadata)
        case .documents:
            let _: GatewayClient.Told<ProtoBatchGetDocumentsResponse> = try await client.call(
                .batchGetDocuments,
                ProtoBatchGetDocumentsRequest.with {
                    $0.database = Writes.database
                    $0.documents = ["\(Writes.root)/rooms/a"]
                }, metadata: metadata)
        case .query:
            let _: GatewayClient.Told<ProtoRunQueryResponse> = try await client.call(
                .runQuery, RoomBench.request { _ in }, metadata: metadata)
        case .count:
            let _: GatewayClient.Told<ProtoRunAggregationQueryResponse> = try await client.call(
                .runAggregationQuery,
                ProtoRunAggregationQueryRequest.with {
                    $0.parent = Writes.root
                    $0.structuredAggregationQuery.structuredQuery =
                        RoomBench.request { _ in }.structuredQuery
                    $0.structuredAggregationQuery.aggregations = [
                        .with {
                            $0.alias = "n"
                            $0.count = .init()
                        }
                    ]
                }, metadata: metadata)
        case .list:
            let _: ProtoListDocumentsResponse = try await client.unary(
                .listDocuments,
                ProtoListDocumentsRequest.with {
                    $0.parent = Writes.root
                    $0.collectionID = "rooms"
                }, metadata: metadata)
        case .collections:
            let _: ProtoListCollectionIdsResponse = try await client.unary(
                .listCollectionIds,
                ProtoListCollectionIdsRequest.with { $0.parent = Writes.root }, metadata: metadata)
        case .parts:
            let _: ProtoPartitionQueryResponse = try await client.unary(
                .partitionQuery,
                ProtoPartitionQueryRequest.with {
                    $0.parent = Writes.root
                    $0.structuredQuery = RoomBench.request { _ in }.structuredQuery
                }, metadata: metadata)
        }
    }

    @Test func `rules for a unit, a group and a place count as on the daemon's own socket`()
        async throws
    {
        let rooms = try ResourcePath(parsing: "rooms")
        let rules = AccessPolicy(rules: [
            .init(
                name: "till", subject: .unit("till.service"), rights: [.read, .write], path: rooms),
            .init(name: "desk", subject: .gid(5_001), rights: [.read], path: rooms),
        ])
        let till = Peer(uid: 4_250, gid: 4_250, pid: 1, unit: "till.service")
        let desk = Peer(uid: 4_251, gid: 4_251, pid: 1, unit: "desk.service", groups: [5_001])
        let other = Peer(uid: 4_252, gid: 4_252, pid: 1, unit: "desk.service", groups: [5_002])
        try await GatewayBench.run(isOnline: false) {
            $0.access = rules
        } _: { bench in
            try await bench.withClient(as: till) { client in
                _ = try await client.commit(Writes.set("rooms/a", 1))
                #expect(try await client.number(in: "rooms/a") == 1)
                let elsewhere = try await client.refusal(of: Writes.set("halls/a", 1))
                #expect(elsewhere.code == .permissionDenied)
            }
            try await bench.withClient(as: desk) { client in
                #expect(try await client.number(in: "rooms/a") == 1)
                let written = try await client.refusal(of: Writes.set("rooms/a", 2))
                #expect(written.code == .permissionDenied)
            }
            try await bench.withClient(as: other) { client in
                let read = await #expect(throws: RPCError.self) {
                    try await client.number(in: "rooms/a")
                }
                #expect(read?.code == .permissionDenied)
            }
        }
    }

    @Test func `a reload gives rights and takes them away`() async throws {
        try await GatewayBench.run {
            $0.access = Self.rules
        } _: { bench in
            try await bench.withClient(as: Self.guest) { client in
                let before = try await status(of: client)
                #expect(before.code == .permissionDenied)
                bench.server.registry.reconfigure(
                    bench.server.settings.change { $0.access = .open })
                // The connection hears of the change on its own loop.
                _ = try await eventually({ try await status(of: client).code }) {
                    $0 != .permissionDenied
                }
            }
        }
    }

    @Test func `a wrong project is refused with the right one in the text`() async throws {
        try await GatewayBench.run { bench in
            try await bench.withClient { client in
                let error = try await status(of: client, project: "dmeo")
                #expect(error.code == .failedPrecondition)
                #expect(error.message.contains("\"demo\""))
                #expect(details(of: error).contains("HEARTH_WRONG_PROJECT"))
                #expect(bench.server.engines.all.count == 1)
            }
        }
    }

    @Test func `a database that there can never be is refused, and opens no engine`() async throws {
        try await GatewayBench.run(isOnline: false) { bench in
            try await bench.withClient { client in
                for database in ["(default", "a_b", "Other", "-", "..", "%2e", "caf\u{E9}"] {
                    let error = try await status(of: client, database: database)
                    #expect(error.code == .invalidArgument)
                    #expect(error.message.contains("There can be no database"))
                }
                let error = try await status(of: client, database: "other-1")
                #expect(!error.message.contains("There can be no database"))
                #expect(bench.server.engines.all.count == 2)
            }
        }
    }

    @Test func `a program is listed by its user agent, and counts for its user`() async throws {
        try await GatewayBench.run { bench in
            try await bench.withClient { client in
                _ = try await status(
                    of: client, metadata: ["user-agent": "grpc-python/1.60.0 grpc-c/37.0.0"])
                let clients = bench.server.registry.clients(ofUser: geteuid()).clients
                #expect(clients.map(\.database) == [.firestore(GatewayBench.database)])
                #expect(clients.first?.process.program?.hasPrefix("grpc-python/1.60.0") == true)
                #expect(clients.first?.process.pid == getpid())
                #expect(bench.server.registry.figures(ofUser: geteuid()).clientCount == 1)
            }
            _ = try await eventually(
                { bench.server.registry.count }, is: { $0 == 0 })
        }
    }

    @Test func `a user's clients of both sockets count together`() async throws {
        try await GatewayBench.run {
            $0.access = .open
            $0.limits.uidClientCountMax = 1
        } _: { bench in
            let other = try HTTPConnection(
                to: "unix:" + bench.path.replacing("firestore.sock", with: "hearth.sock"))
            _ = try await eventually({ bench.server.registry.count }, is: { $0 == 1 })
            let me = Peer(uid: geteuid(), gid: getegid(), pid: getpid())
            try await bench.withClient(as: me) { client in
                let error = try await status(of: client)
                #expect(error.code == .resourceExhausted)
                #expect(error.message.contains("limits.uidClientCountMax"))
            }
            other.reset()
        }
    }

    @Test func `a gateway that is switched off says so where systemd listens for it`() async throws
    {
        try await GatewayBench.run {
            $0.gateway.isEnabled = false
        } _: { bench in
            #expect(access(bench.path, F_OK) != 0)
            try await bench.withClient(as: Self.stranger) { client in
                let error = try await status(of: client)
                #expect(error.code == .failedPrecondition)
                #expect(error.message.contains("gateway.isEnabled"))
            }
        }
    }

    @Test func `the end of the server ends a client's connection in good order`() async throws {
        let (reading, began) = try await GatewayBench.run { bench in
            let path = bench.path
            let reading = Task.detached { try Self.goodbye(of: path) }
            _ = try await eventually({ bench.server.registry.count }, is: { $0 == 1 })
            return (reading, ContinuousClock.now)
        }
        #expect(.now - began < .seconds(5))
        // Its reason is the second number: none.
        #expect(try await reading.value == [0, 0, 0, 0])
    }

    /// The server's reason for sending away a client that has only just connected.
    private static func goodbye(of path: String) throws -> [UInt8] {
        let connection = try HTTPConnection(to: "unix:\(path)")
        try connection.write(RawFrames.greeting)
        while true {
            let head = try connection.read(9)
            let byteCount = head[..<3].reduce(0) { $0 << 8 | Int($1) }
            let payload = try connection.read(byteCount)
            if head[3] == 7 { return Array(payload[4..<8]) }
        }
    }
}
