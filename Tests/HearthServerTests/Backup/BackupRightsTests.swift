import HearthEngine
import HearthModel
import HearthTestSupport
import HearthWire
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import HearthServer

/// Who is handed a backup, which holds all of every database.
struct BackupRightsTests {
    private static let user = Peer(uid: 60_001, gid: 60_001, pid: 42)
    private let bench = BackupBench()

    init() throws { try bench.fill() }

    private func rules(_ texts: [String]) throws -> AccessPolicy {
        AccessPolicy(
            rules: try texts.enumerated().map { number, text in
                try AccessRuleReader.read(text, name: "rule\(number)", names: SystemNames.forRules)
            })
    }

    /// The answers to the first request, and to the next when `after` has changed the settings.
    private func answers(
        _ policy: AccessPolicy, then next: AccessPolicy? = nil, for peer: Peer = user
    ) async throws -> [Event] {
        let settings = LiveSettings(LiveSettings.Values(ServerConfiguration(), access: policy))
        let desk = BackupDesk(
            EngineRegistry(limits: .init(countMax: 8, uidCountMax: 8)) { _ in
                preconditionFailure("Nobody opens a store here")
            }, settings, folder: bench.folder.path, daemonVersion: "1",
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var events = [try await desk.answer(at: 0, for: peer, of: 1, on: group.next()).get()]
        if let next, case .backupPart(let part) = events[0] {
            _ = settings.change { $0.access = next }
            events.append(
                try await desk.answer(at: part.data.count, for: peer, of: 1, on: group.next()).get()
            )
        }
        try await group.shutdownGracefully()
        return events
    }

    @Test func `a part that ends in a file beside the stores names no database`() async throws {
        let folder = TemporaryFolder()
        try KeptOrderFile(folder: folder.path).write(KeptOrders())
        let desk = BackupDesk(
            EngineRegistry(limits: .init(countMax: 8, uidCountMax: 8)) { _ in
                preconditionFailure("Nobody opens a store here")
            }, LiveSettings(LiveSettings.Values(ServerConfiguration(), access: .closed)),
            folder: folder.path, daemonVersion: "1",
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var names: [String] = []
        var position = 0
        while true {
            let event = try await desk.answer(
                at: position, for: Peer(uid: 0, gid: 0, pid: 1), of: 1, on: group.next()
            ).get()
            guard case .backupPart(let part) = event else {
                Issue.record("\(event)")
                break
            }
            names.append(part.database)
            position += part.data.count
            if !part.hasMore { break }
        }
        try await group.shutdownGracefully()
        #expect(position > 0)
        #expect(Set(names) == [""], "\(names)")
    }

    private func isRefused(_ event: Event?) -> Bool {
        if case .failed(let error)? = event { error.code == .permissionDenied } else { false }
    }

    @Test(arguments: [
        (["allow everyone administer"], true),
        (["allow everyone read administer", "deny everyone read below staff/pay"], true),
        (["allow everyone read administer", "deny everyone read realtime below secret"], true),
        (["allow everyone read administer in demo"], true),
        (["allow everyone read write"], true),
        (["allow everyone read administer"], false),
    ])
    func `a backup needs the rights to administer and to read all of every database`(
        texts: [String], isRefused: Bool
    ) async throws {
        #expect(self.isRefused(try await answers(try rules(texts)).first) == isRefused)
    }

    @Test func `root is not asked, and a right that is taken away ends a backup that has begun`()
        async throws
    {
        let root = Peer(uid: 0, gid: 0, pid: 1)
        #expect(!isRefused(try await answers(.closed, for: root).first))
        let events = try await answers(
            try rules(["allow everyone read administer"]),
            then: try rules(["allow everyone administer"]))
        #expect(events.map(isRefused) == [false, true])
    }
}
