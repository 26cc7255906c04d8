import Foundation
import GRPCCore
import HearthEngine
import HearthModel
import HearthProtocol
import NIOCore
import SwiftProtobuf
import Testing

@testable import HearthGateway
@testable import HearthServer

/// A transaction is its user's: the backend sees only the daemon, and would let everybody use it.
@Suite(.timeLimit(.minutes(2)))
struct BegunTransactionsTests {
    private static let database = GatewayBench.database
    private static let now = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    // MARK: Who began what

    private static func peer(_ uid: UInt32, paidBy payer: UInt32? = nil) -> Peer {
        Peer(uid: uid, payer: payer, gid: uid, pid: 1)
    }

    @Test func `a name is known to its user in its database, as long as it can be of use`() {
        let transactions = BegunTransactions()
        transactions.begun([1], in: Self.database, by: Self.peer(7), at: Self.now)
        func isKnown(
            _ id: [UInt8] = [1], in database: DatabaseID = Self.database,
            to peer: Peer = Self.peer(7), after seconds: Int64 = 0
        ) -> Bool {
            transactions.isKnown(id, in: database, to: peer, at: Self.now + .seconds(seconds))
        }
        #expect(isKnown())
        #expect(!isKnown([2]))
        #expect(!isKnown([]))
        #expect(!isKnown(to: Self.peer(8)))
        // Who pays for a user is another user.
        #expect(!isKnown(to: Self.peer(8, paidBy: 7)))
        #expect(!isKnown(in: DatabaseID(project: "demo", database: "other")))
        #expect(isKnown(after: 299))
        #expect(!isKnown(after: 300))
        transactions.ended([1], in: Self.database, by: Self.peer(8))
        transactions.ended([1], in: Self.database, by: Self.peer(7))
        #expect(isKnown())  // The backend says that it is over.
    }

    /// A bench of names that are begun at seconds of a test.
    private struct Names {
        typealias Tests = BegunTransactionsTests

        let transactions = BegunTransactions(countMax: 4)

        func begin(_ id: UInt8, by peer: Peer = Tests.peer(7), at seconds: Int64) {
            transactions.begun(
                [id], in: Tests.database, by: peer, at: Tests.now + .seconds(seconds))
        }

        func known(to peer: Peer = Tests.peer(7), at seconds: Int64) -> [UInt8] {
            let now = Tests.now + .seconds(seconds)
            return (0..<20).filter {
                transactions.isKnown([$0], in: Tests.database, to: peer, at: now)
            }
        }
    }

    @Test func `names are bounded, those that are over go first, and then the oldest one`() {
        let names = Names()
        names.begin(9, by: Self.peer(8), at: 0)
        for id in UInt8(0)..<4 { names.begin(id, at: Int64(id)) }
        names.transactions.ended([2], in: Self.database, by: Self.peer(7))
        names.begin(4, at: 4)
        #expect(names.known(at: 4) == [0, 1, 3, 4])
        names.begin(5, at: 5)
        #expect(names.known(at: 5) == [1, 3, 4, 5])
        names.begin(6, at: 6)
        #expect(names.known(at: 6) == [3, 4, 5, 6])
        names.begin(7, at: 400)
        #expect(names.known(at: 400) == [7])
        #expect(names.transactions.counts[7] == 1)
        #expect(names.known(to: Self.peer(8), at: 6) == [9])
    }

    @Test func `subordinate users share the names of their owner, and see only their own`() {
        let names = Names()
        for id in UInt8(0)..<10 {
            names.begin(id, by: Self.peer(100_000 + UInt32(id), paidBy: 7), at: Int64(id))
        }
        #expect(names.transactions.counts == [7: 4])
        #expect(names.known(to: Self.peer(100_009, paidBy: 7), at: 9) == [9])
        #expect(names.known(to: Self.peer(100_000, paidBy: 7), at: 9) == [])
    }

    @Test func `the names of users who are gone are forgotten`() {
        let names = Names()
        for uid in UInt32(1)...5 { names.begin(1, by: Self.peer(uid), at: 0) }
        names.begin(2, by: Self.peer(6), at: 400)
        #expect(names.transactions.counts == [6: 1])
    }

    // MARK: Through the gateway

    private static let owner = Peer(uid: 4_301, gid: 4_301, pid: 1)
    private static let stranger = Peer(uid: 4_302, gid: 4_302, pid: 1)

    /// Works with a client of the owner and one of a stranger; both may do everything.
    private func withBoth(
        _ body: @Sendable (_ owner: GatewayClient, _ stranger: GatewayClient) async throws -> Void
    ) async throws {
        try await GatewayBench.run {
            $0.access = .open
        } _: { bench in
            let gateway = Gateway(bench.server.parts)
            try await bench.withClient(as: Self.owner, by: gateway) { owner in
                try await bench.withClient(as: Self.stranger, by: gateway) { stranger in
                    try await body(owner, stranger)
                }
            }
        }
    }

    private func begin(_ client: GatewayClient, trying retried: Data = Data()) async throws -> Data
    {
        let answer: ProtoBeginTransactionResponse = try await client.unary(
            .beginTransaction,
            ProtoBeginTransactionRequest.with {
                $0.database = Self.database.name
                $0.options.readWrite.retryTransaction = retried
            })
        return answer.transaction
    }

    private func read(_ id: Data, _ client: GatewayClient) async throws {
        let _: GatewayClient.Told<ProtoBatchGetDocumentsResponse> = try await client.call(
            .batchGetDocuments,
            ProtoBatchGetDocumentsRequest.with {
                $0.database = Self.database.name
                $0.documents = ["\(Writes.root)/rooms/a"]
                $0.transaction = id
            })
    }

    private func commit(_ id: Data, _ client: GatewayClient) async throws {
        let _: ProtoCommitResponse = try await client.unary(
            .commit,
            ProtoCommitRequest.with {
                $0.database = Self.database.name
                $0.writes = [Writes.set("rooms/a", 1)]
                $0.transaction = id
            })
    }

    private func rollBack(_ id: Data, _ client: GatewayClient) async throws {
        let _: Google_Protobuf_Empty = try await client.unary(
            .rollback,
            ProtoRollbackRequest.with {
                $0.database = Self.database.name
                $0.transaction = id
            })
    }

    private func isUnknown(_ body: () async throws -> Void) async -> Bool {
        do {
            try await body()
            return false
        } catch {
            let error = error as? RPCError
            return error?.code == .invalidArgument && error?.message == "Invalid transaction."
        }
    }

    @Test func `another user's transaction is unknown, and goes on`() async throws {
        try await withBoth { owner, stranger in
            let id = try await begin(owner)
            #expect(await isUnknown { try await read(id, stranger) })
            #expect(await isUnknown { try await commit(id, stranger) })
            #expect(await isUnknown { try await rollBack(id, stranger) })
            // What was never begun is unknown in the same words.
            #expect(await isUnknown { try await read(Data([7, 7]), stranger) })
            try await read(id, owner)
            try await commit(id, owner)
        }
    }

    @Test func `another user's transaction is not ended as the first try of one's own`()
        async throws
    {
        try await withBoth { owner, stranger in
            let id = try await begin(owner)
            let other = try await begin(stranger, trying: id)
            try await rollBack(other, stranger)
            try await read(id, owner)
            // Its own user's next try takes its place.
            let next = try await begin(owner, trying: id)
            try await commit(next, owner)
        }
    }

    @Test func `a transaction that a read began is its user's too`() async throws {
        try await withBoth { owner, stranger in
            let told: GatewayClient.Told<ProtoRunQueryResponse> = try await owner.call(
                .runQuery,
                ProtoRunQueryRequest.with {
                    $0.parent = Writes.root
                    $0.structuredQuery.from = [.with { $0.collectionID = "rooms" }]
                    $0.newTransaction = ProtoTransactionOptions()
                })
            let id = try #require(told.messages.first { !$0.transaction.isEmpty }).transaction
            #expect(await isUnknown { try await rollBack(id, stranger) })
            try await rollBack(id, owner)
        }
    }
}
