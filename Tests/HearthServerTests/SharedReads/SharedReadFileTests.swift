import Glibc
import HearthFirestore
import HearthModel
import HearthTestSupport
import HearthWire
import Synchronization
import Testing

@testable import HearthServer

/// The memory file of hot documents, between the mapping that writes and the mappings that read.
struct SharedReadFileTests: Sendable {
    private static let database = DatabaseID(project: "demo")
    private static let codec = WireCodec(database: database)
    private static let configured = SharedReadLayout.byteCountMin

    private let reads = CachedReads(database: database)

    private func peer(_ uid: UInt32) -> Peer { Peer(uid: uid, gid: uid, pid: 4) }

    /// A session of a user with the file mapped.
    private func mapping(_ session: UInt64 = 1, uid: UInt32 = 7) throws -> ReadersMapping {
        let file = try #require(
            reads.share(with: session, peer(uid), configured: Self.configured) {})
        return try #require(ReadersMapping(file.descriptor, byteCount: file.byteCount))
    }

    private func remember(_ id: String, _ number: Int64) {
        let document = Rooms.document(id, number)
        reads.update(
            DocumentChanges(),
            [.snapshot(document.key, Rooms.snapshot(1, base: nil, [document]))])
    }

    private func change(_ ids: String...) {
        var changes = DocumentChanges()
        for id in ids { changes.insert(Rooms.document(id, 0).key) }
        reads.update(changes, [])
    }

    private func number(_ id: String, in mapping: ReadersMapping) -> Int64? {
        mapping.body("rooms/\(id)").flatMap { number(id, in: $0) }
    }

    private func number(_ id: String, in body: [UInt8]) -> Int64? {
        guard let answer = EncodedAnswer(body),
            case .integer(let number)? = answer.document(Rooms.document(id, 0).key, Self.codec)?
                .fields["n"]
        else { return nil }
        return number
    }

    @Test func `a reader finds what was read by a turn, until a commit changes it`() throws {
        let mapping = try mapping()
        remember("hall", 1)
        remember("attic", 2)
        #expect(number("hall", in: mapping) == 1)
        change("hall")
        #expect(number("hall", in: mapping) == nil)
        #expect(number("attic", in: mapping) == 2)
        remember("hall", 3)
        #expect(number("hall", in: mapping) == 3)
        reads.update(.all, [])
        #expect(number("attic", in: mapping) == nil)
    }

    @Test func `an answer that the socket gave is found without the socket the next time`() throws {
        remember("hall", 1)
        let mapping = try mapping()
        #expect(number("hall", in: mapping) == nil)
        let query = Query(document: Rooms.document("hall", 0).key)
        let body = try Self.codec.frame(of: .firestore(.get(query, .cache)), number: 1).body
        let frame = reads.answer(to: body.span.bytes)
        #expect(frame != nil && mapping.body("rooms/hall") == frame?.body)
    }

    @Test func `each commit numbers its change, and no number counts for two users`() throws {
        var changes = DocumentChanges()
        func commit(_ id: String?) {
            changes = DocumentChanges(after: changes)
            if let id { changes.insert(Rooms.document(id, 0).key) }
            reads.update(changes, [])
        }
        commit("hall")
        let mapping = try mapping()
        #expect(mapping.changeNumber == 1)
        commit(nil)
        #expect(mapping.changeNumber == 1)
        commit("attic")
        #expect(mapping.changeNumber == 2)
        reads.forgetAll()
        #expect(mapping.changeNumber == nil)
        commit(nil)
        #expect(mapping.changeNumber == nil)
        commit("hall")
        #expect(mapping.changeNumber == 3)
        // Another store begins anew: until it is past the old numbers, nobody can say.
        reads.forgetAll()
        changes = DocumentChanges()
        commit("hall")
        #expect(mapping.changeNumber == nil)
        for _ in 0..<3 { commit("hall") }
        #expect(mapping.changeNumber == 4)
    }

    @Test func `what makes all answers another user's leaves no byte, and the file goes on`() throws
    {
        let mapping = try mapping()
        remember("hall", 1)
        reads.forgetAll()
        #expect(number("hall", in: mapping) == nil)
        #expect(mapping.isBlank)
        #expect(!mapping.hasEnded)
        remember("hall", 2)
        #expect(number("hall", in: mapping) == 2)
    }

    @Test func `the file ends for all if anybody who ever had it loses the right`() throws {
        let told = Told()
        let file = try #require(
            reads.share(with: 1, peer(7), configured: Self.configured) {
                told.number.add(1, ordering: .relaxed)
            })
        let old = try #require(ReadersMapping(file.descriptor, byteCount: file.byteCount))
        _ = try mapping(2, uid: 8)
        remember("hall", 1)
        reads.leaveSharing(2)  // The process may still have its mapping.
        reads.endSharing { _ in true }
        #expect(number("hall", in: old) == 1)
        reads.endSharing { $0.uid != 8 }
        #expect(number("hall", in: old) == nil)
        #expect(old.hasEnded && old.isBlank)
        #expect(told.number.load(ordering: .relaxed) == 1)
        #expect(!reads.isShared)
        // What is read now goes to the next file alone.
        let next = try mapping(1, uid: 7)
        remember("hall", 2)
        #expect(number("hall", in: next) == 2)
        #expect(number("hall", in: old) == nil)
        #expect(old.isBlank)
    }

    @Test func `nothing is found behind the last session, and the next one gets the same file`()
        throws
    {
        let first = try mapping(1)
        _ = try mapping(2)
        remember("hall", 1)
        reads.leaveSharing(1)
        reads.leaveSharing(1)
        #expect(number("hall", in: first) == 1)
        reads.leaveSharing(2)
        #expect(number("hall", in: first) == nil && first.isBlank)
        #expect(!reads.isShared)
        remember("hall", 2)
        #expect(first.isBlank)
        reads.renewSharing()
        let second = try mapping(3)
        remember("hall", 3)
        #expect(number("hall", in: second) == 3)
        #expect(number("hall", in: first) == 3)
    }

    @Test func `a lease that is not renewed runs out`() throws {
        let mapping = try mapping()
        remember("hall", 1)
        let now = LeaseClock.now
        #expect(mapping.body("rooms/hall", at: now) != nil)
        #expect(mapping.body("rooms/hall", at: now + SharedReadLimits.leaseNanoseconds) == nil)
        reads.renewSharing()
        #expect(mapping.body("rooms/hall", at: LeaseClock.now) != nil)
    }

    @Test func `without bytes there is no file, and another database's is smaller`() {
        #expect(reads.share(with: 1, peer(7), configured: 0) {} == nil)
        #expect(SharedReads.byteCount(8 << 20, isSmall: false) == 8 << 20)
        #expect(SharedReads.byteCount(8 << 20, isSmall: true) == 256 << 10)
        #expect(SharedReads.byteCount(1, isSmall: true) == SharedReadLayout.byteCountMin)
    }

    @Test func `who has the descriptor cannot write, cut, grow or reopen the file`() throws {
        let file = try #require(SharedReadFile(byteCount: Self.configured))
        let descriptor = file.descriptor
        #expect(
            mmap(nil, file.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
                == MAP_FAILED)
        #expect(ftruncate(descriptor, 0) != 0)
        #expect(ftruncate(descriptor, off_t(2 * file.byteCount)) != 0)
        var byte: UInt8 = 1
        #expect(write(descriptor, &byte, 1) != 0 && pwrite(descriptor, &byte, 1, 0) != 1)
        #expect(posix_fallocate(descriptor, 0, off_t(2 * file.byteCount)) != 0)
        // Root may open what nobody may write; the seals hold against root too.
        let again = open("/proc/self/fd/\(descriptor)", O_RDWR | O_CLOEXEC)
        if again >= 0 {
            #expect(
                mmap(nil, file.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, again, 0)
                    == MAP_FAILED)
            #expect(pwrite(again, &byte, 1, 0) != 1)
            #expect(ftruncate(again, 0) != 0)
            close(again)
        }
        // A private copy is nobody else's.
        let mapped = try #require(mmap(nil, file.byteCount, PROT_READ, MAP_SHARED, descriptor, 0))
        #expect(mapped != MAP_FAILED)
        #expect(mprotect(mapped, file.byteCount, PROT_READ | PROT_WRITE) != 0)
        munmap(mapped, file.byteCount)
    }

    /// `Scripts/sanitize thread --filter SharedReadFileTests` has the thread sanitizer watch.
    @Test func `threads that read while one writes find whole answers, none taken back`()
        async throws
    {
        let file = try #require(
            reads.share(with: 1, peer(7), configured: Self.configured) {})
        let rounds: Int64 = 3_000
        let committed = Told()
        let reads = reads
        let found = await withTaskGroup(of: Int.self) { group in
            for reader in 0..<4 {
                group.addTask {
                    let mapping =
                        reader < 2
                        ? ReadersMapping(file.descriptor, byteCount: file.byteCount)
                        : ReadersMapping(writersOf: file)
                    guard let mapping else {
                        Issue.record("no mapping")
                        return 0
                    }
                    var (found, last) = (0, Int64(0))
                    while true {
                        let least = committed.number.load(ordering: .acquiring)
                        if let body = mapping.body("rooms/hall") {
                            guard let number = number("hall", in: body) else {
                                Issue.record("torn: \(body)")
                                return found
                            }
                            found += 1
                            #expect(number >= least && number >= last)
                            last = number
                        }
                        if least == rounds { return found }
                        await Task.yield()  // The writer needs a thread of the pool too.
                    }
                }
            }
            group.addTask {
                for round in 1...rounds {
                    change("hall", "attic")
                    committed.number.store(round, ordering: .releasing)
                    remember("hall", round)
                    if round % 3 == 0 { remember("attic", round) }
                    // The ring goes round, too.
                    remember("room\(round % 701)", round)
                }
                return 0
            }
            return await group.reduce(0, +)
        }
        withExtendedLifetime(reads) {}
        #expect(found > 0)
    }
}

/// A number that threads tell each other.
private final class Told: Sendable {
    let number = Atomic<Int64>(0)
}
