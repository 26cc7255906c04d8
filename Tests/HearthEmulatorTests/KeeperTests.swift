import HearthBackend
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthEmulator

struct KeeperTests {
    private let database = DatabaseID(project: "kept", database: "other")

    /// Commits to a backend and keeps what it asks to keep.
    private func commit(
        _ path: String, _ kind: Mutation.Kind, at second: Int64, _ backend: inout Backend,
        _ keeper: Keeper
    ) throws {
        _ = try backend.commit(
            [Mutation(key: try DocumentKey(parsing: path), kind: kind)], in: database,
            at: Timestamp(seconds: 1_700_000_000 + second, nanoseconds: 0))
        let saves = backend.takeActions().compactMap { action in
            if case .save(let database, let save) = action { (database, save) } else { nil }
        }
        try keeper.save(saves, clock: backend.clock)
    }

    private func reopened(_ folder: TemporaryFolder) throws -> Backend {
        let keeper = try Keeper(folder: folder.path)
        var backend = Backend(identity: keeper.identity, run: 2, clock: keeper.clock)
        try keeper.restore(into: &backend)
        return backend
    }

    @Test func `documents, their past and the clock come back`() throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        var backend: Backend
        do {
            let keeper = try Keeper(folder: folder.path)
            backend = Backend(identity: keeper.identity, run: 1)
            try commit("c/a", .set(["n": .integer(1)]), at: 1, &backend, keeper)
            try commit("c/a", .set(["n": .integer(2)]), at: 2, &backend, keeper)
            try commit("c/é", .set([:]), at: 3, &backend, keeper)
            try commit("c/a", .delete, at: 4, &backend, keeper)
        }
        let again = try reopened(folder)
        #expect(again.identity == backend.identity)
        #expect(again.clock == backend.clock)
        let documents = again.documents(of: database)
        let a = try DocumentKey(parsing: "c/a")
        #expect(documents.document(a).isMissing)
        let second = SnapshotVersion(Timestamp(seconds: 1_700_000_002, nanoseconds: 0))
        #expect(documents.document(a, at: second).fields == ["n": .integer(2)])
        let empty = documents.document(try DocumentKey(parsing: "c/é"))
        #expect(empty.isFound && empty.fields.isEmpty)
    }

    @Test func `what the backend forgets leaves the disk`() throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        var settings = BackendSettings()
        settings.historyCommitCountMax = 2
        do {
            let keeper = try Keeper(folder: folder.path)
            var backend = Backend(identity: keeper.identity, run: 1, settings: settings)
            for second in Int64(0)..<6 {
                try commit("c/a", .set(["n": .integer(second)]), at: second, &backend, keeper)
                try commit("c/b", .delete, at: second, &backend, keeper)
                try commit("c/c", .set([:]), at: second, &backend, keeper)
                try commit("c/c", .delete, at: second, &backend, keeper)
            }
        }
        let again = try reopened(folder)
        #expect(again.documents(of: database).recordCount == 2)
        #expect(again.historyStart(of: database) > .zero)
        let document = again.documents(of: database).document(try DocumentKey(parsing: "c/a"))
        #expect(document.fields == ["n": .integer(5)])
    }

    @Test func `a run begins at the noted bound, or at the last commit if that is later`() throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        let bound = SnapshotVersion(Timestamp(seconds: 1_700_000_005, nanoseconds: 7_000))
        do {
            let keeper = try Keeper(folder: folder.path)
            var backend = Backend(identity: keeper.identity, run: 1)
            try commit("c/a", .set([:]), at: 1, &backend, keeper)
            try keeper.note(NotedTime(bound: bound, ahead: .milliseconds(700)))
            // The notes of two turns may come in any order.
            let earlier = SnapshotVersion(Timestamp(seconds: 1, nanoseconds: 0))
            try keeper.note(NotedTime(bound: earlier, ahead: .milliseconds(700)))
        }
        let committed: SnapshotVersion
        do {
            let keeper = try Keeper(folder: folder.path)
            #expect(keeper.clock == bound)
            #expect(keeper.ahead == .milliseconds(700))
            var backend = Backend(identity: keeper.identity, run: 2, clock: keeper.clock)
            try keeper.restore(into: &backend)
            // The clock has stepped back; the commit comes behind all that may have been told.
            try commit("c/a", .set([:]), at: 2, &backend, keeper)
            committed = backend.clock
            #expect(committed > bound)
        }
        let again = try reopened(folder)
        #expect(again.clock == committed)
    }
}
