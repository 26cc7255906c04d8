import HashTreeCollections
import HearthModel
import Testing

@testable import HearthFirestore

struct WatchChangeAggregatorTests {
    private struct Known: WatchedTargets {
        var targets: [TargetID: TargetData] = [:]
        var keys: [TargetID: TreeSet<DocumentKey>] = [:]

        func isWatched(_ id: TargetID) -> Bool { targets[id] != nil }
        func targetData(of id: TargetID) -> TargetData? { targets[id] }
        func isRemoteKey(_ key: DocumentKey, of id: TargetID) -> Bool {
            keys[id]?.contains(key) ?? false
        }
        func remoteKeyCount(of id: TargetID) -> Int { keys[id]?.count ?? 0 }
        func remoteKeys(of id: TargetID) -> [DocumentKey] { Array(keys[id] ?? []) }
    }

    private let wire = WireTargetID(9)
    private let rooms = TargetID(2)
    private var known = Known()
    private var aggregator: WatchChangeAggregator

    init() {
        aggregator = WatchChangeAggregator(database: DatabaseID(project: "p"))
        known.targets[rooms] = TargetData(
            id: rooms, target: collection("rooms").target, sequenceNumber: 1)
        aggregator.requested(wire, target: rooms)
    }

    private mutating func tell(_ kind: TargetWatchChange.Kind, token text: String = "") {
        aggregator.received(
            TargetWatchChange(kind: kind, targets: [wire], resumeToken: token(text)), known)
    }

    private mutating func tell(_ document: Document, removed: Bool = false) {
        aggregator.received(
            DocumentWatchChange(
                updated: removed ? [] : [wire], removed: removed ? [wire] : [], key: document.key,
                document: removed ? nil : document), known)
    }

    private func told(_ path: String, by event: RemoteEvent) -> Document? {
        event.documents.first { $0.key == key(path) }
    }

    @Test mutating func `documents before the backend's ADD are ignored`() {
        tell(document("rooms/hall"))
        tell(.added)
        #expect(aggregator.makeEvent(at: version(1), known).documents.isEmpty)
    }

    @Test mutating func `an event carries what happened since the last, with its version`() {
        tell(.added)
        tell(document("rooms/hall"))
        tell(.current, token: "t1")
        let event = aggregator.makeEvent(at: version(5), known)
        let change = event.targetChanges[rooms]
        #expect(change?.added == [key("rooms/hall")])
        #expect(change?.isCurrent == true)
        #expect(change?.resumeToken == token("t1"))
        #expect(told("rooms/hall", by: event)?.readAt == version(5))
        #expect(aggregator.makeEvent(at: version(6), known).targetChanges.isEmpty)
    }

    @Test mutating func `a known document is modified, one that came and went never was`() {
        known.keys[rooms] = [key("rooms/hall")]
        tell(.added)
        tell(document("rooms/hall", at: 2))
        tell(document("rooms/den"))
        tell(document("rooms/den"), removed: true)
        let change = aggregator.makeEvent(at: version(5), known).targetChanges[rooms]
        #expect(change?.modified == [key("rooms/hall")])
        #expect(change?.added.isEmpty == true)
        #expect(change?.removed.isEmpty == true)
    }

    @Test mutating func `late messages of a stopped listen are dropped`() {
        tell(.added)
        aggregator.stopped(wire)
        aggregator.requested(WireTargetID(10), target: rooms)
        tell(.removed(nil))
        tell(document("rooms/hall"))
        aggregator.received(
            TargetWatchChange(kind: .added, targets: [WireTargetID(10)]), known)
        let event = aggregator.makeEvent(at: version(5), known)
        #expect(event.documents.isEmpty)
        #expect(event.targetChanges[rooms] != nil)
    }

    @Test mutating func `a reset forgets the target's documents and keeps its token`() {
        known.keys[rooms] = [key("rooms/hall")]
        tell(.added)
        tell(.reset, token: "fresh")
        tell(document("rooms/den"))
        let change = aggregator.makeEvent(at: version(5), known).targetChanges[rooms]
        #expect(change?.removed == [key("rooms/hall")])
        #expect(change?.added == [key("rooms/den")])
        #expect(change?.resumeToken == token("fresh"))
    }

    @Test mutating func `what was told of a listen before its reset does not count`() {
        tell(.added)
        tell(document("rooms/hall"))
        tell(.reset)
        tell(document("rooms/den"))
        aggregator.received(
            ExistenceFilter(target: wire, count: 1, unchangedNames: nil), known)
        let event = aggregator.makeEvent(at: version(5), known)
        #expect(event.targetMismatches.isEmpty)
        #expect(event.targetChanges[rooms]?.added == [key("rooms/den")])
        // The document itself is known all the same.
        #expect(told("rooms/hall", by: event) != nil)
    }

    @Test mutating func `a document that several listens name is told to each of them`() {
        let halls = TargetID(4)
        known.targets[halls] = TargetData(
            id: halls, target: collection("rooms").target, sequenceNumber: 2)
        known.keys[halls] = [key("rooms/hall")]
        aggregator.requested(WireTargetID(10), target: halls)
        tell(.added)
        aggregator.received(TargetWatchChange(kind: .added, targets: [WireTargetID(10)]), known)
        aggregator.received(
            DocumentWatchChange(
                updated: [wire], removed: [WireTargetID(10)], key: key("rooms/hall"),
                document: document("rooms/hall")), known)
        let event = aggregator.makeEvent(at: version(5), known)
        #expect(event.documents.count == 1)
        #expect(event.targetChanges[rooms]?.added == [key("rooms/hall")])
        #expect(event.targetChanges[halls]?.removed == [key("rooms/hall")])
    }

    @Test mutating func `a wrong count asks for the target anew`() {
        known.keys[rooms] = [key("rooms/hall"), key("rooms/den")]
        tell(.added)
        aggregator.received(
            ExistenceFilter(target: wire, count: 1, unchangedNames: nil), known)
        let event = aggregator.makeEvent(at: version(5), known)
        #expect(event.targetMismatches == [rooms: .existenceFilterMismatch])
        #expect(event.targetChanges[rooms]?.removed.count == 2)
    }

    @Test mutating func `a target whose count did not fit is not current, whatever comes behind`() {
        known.keys[rooms] = [key("rooms/hall"), key("rooms/den")]
        tell(.added)
        aggregator.received(
            ExistenceFilter(target: wire, count: 1, unchangedNames: nil), known)
        tell(.reset)
        tell(.current, token: "t")
        let event = aggregator.makeEvent(at: version(5), known)
        #expect(event.targetMismatches == [rooms: .existenceFilterMismatch])
        #expect(event.targetChanges[rooms]?.isCurrent == false)
        #expect(!aggregator.isToldWhole(wire))
    }

    @Test mutating func `an answer is held back from the listen's CURRENT until the next event`() {
        tell(.added)
        tell(document("rooms/hall"))
        #expect(!aggregator.holdsAnswerBack)
        tell(.current, token: "t")
        #expect(aggregator.holdsAnswerBack)
        _ = aggregator.makeEvent(at: version(5), known)
        #expect(!aggregator.holdsAnswerBack)
        tell(document("rooms/den"))
        #expect(!aggregator.holdsAnswerBack)
        tell(.reset)
        #expect(!aggregator.holdsAnswerBack)
        tell(.current)
        #expect(aggregator.holdsAnswerBack)
        aggregator.stopped(wire)
        #expect(!aggregator.holdsAnswerBack)
    }

    @Test mutating func `a target that is to be asked for anew waits for the next event as well`() {
        known.keys[rooms] = [key("rooms/hall"), key("rooms/den")]
        tell(.added)
        aggregator.received(
            ExistenceFilter(target: wire, count: 1, unchangedNames: nil), known)
        #expect(aggregator.holdsAnswerBack)
    }

    @Test mutating func `a count that did not fit asks for nothing anew once its listen is over`() {
        known.keys[rooms] = [key("rooms/hall"), key("rooms/den")]
        tell(.added)
        aggregator.received(
            ExistenceFilter(target: wire, count: 1, unchangedNames: nil), known)
        aggregator.stopped(wire)
        aggregator.requested(WireTargetID(10), target: rooms)
        let event = aggregator.makeEvent(at: version(5), known)
        #expect(event.targetMismatches.isEmpty)
    }

    @Test mutating func `a Bloom filter tells which documents left`() {
        known.keys[rooms] = [key("rooms/hall"), key("rooms/den")]
        tell(.added)
        let names = ["projects/p/databases/(default)/documents/rooms/hall"]
        aggregator.received(
            ExistenceFilter(target: wire, count: 1, unchangedNames: BloomFilter(containing: names)),
            known)
        let event = aggregator.makeEvent(at: version(5), known)
        #expect(event.targetMismatches.isEmpty)
        #expect(event.targetChanges[rooms]?.removed == [key("rooms/den")])
    }

    @Test mutating func `a Bloom filter that says yes too often asks for the target anew`() {
        known.keys[rooms] = [key("rooms/hall"), key("rooms/den")]
        tell(.added)
        let names = ["hall", "den"].map { "projects/p/databases/(default)/documents/rooms/\($0)" }
        aggregator.received(
            ExistenceFilter(target: wire, count: 1, unchangedNames: BloomFilter(containing: names)),
            known)
        let event = aggregator.makeEvent(at: version(5), known)
        #expect(event.targetMismatches == [rooms: .existenceFilterMismatchBloom])
    }

    @Test mutating func `a current document target that was not spoken of is deleted`() {
        known.targets[rooms] = TargetData(
            id: rooms, target: Query(document: key("rooms/hall")).target, sequenceNumber: 1)
        tell(.added)
        tell(.current, token: "t")
        let event = aggregator.makeEvent(at: version(5), known)
        #expect(told("rooms/hall", by: event)?.isMissing == true)
        #expect(told("rooms/hall", by: event)?.version == version(5))
    }

    @Test mutating func `documents that only a lookup asked for are told apart`() {
        let lookup = TargetID(1)
        known.targets[lookup] = TargetData(
            id: lookup, target: Query(document: key("rooms/hall")).target,
            purpose: .limboResolution, sequenceNumber: -1)
        aggregator.requested(WireTargetID(10), target: lookup)
        tell(.added)
        aggregator.received(TargetWatchChange(kind: .added, targets: [WireTargetID(10)]), known)
        tell(document("rooms/den"))
        aggregator.received(
            DocumentWatchChange(
                updated: [WireTargetID(10)], removed: [], key: key("rooms/hall"),
                document: document("rooms/hall")), known)
        #expect(aggregator.makeEvent(at: version(5), known).resolvedLimbo == [key("rooms/hall")])
    }

    @Test mutating func `an event costs what happened, however many listens there are`() {
        for number: Int32 in 1...1_000 {
            let (id, wire) = (TargetID(2 * number), WireTargetID(100 + number))
            let query = number.isMultiple(of: 2) ? collection("c\(number)") : nil
            known.targets[id] = TargetData(
                id: id, target: (query ?? Query(document: key("docs/d\(number)"))).target,
                sequenceNumber: 1)
            aggregator.requested(wire, target: id)
            aggregator.received(TargetWatchChange(kind: .added, targets: [wire]), known)
            aggregator.received(TargetWatchChange(kind: .current, targets: [wire]), known)
        }
        #expect(aggregator.makeEvent(at: version(1), known).targetChanges.count == 1_000)
        let before = aggregator.visitCount
        aggregator.received(
            DocumentWatchChange(
                updated: [WireTargetID(102)], removed: [], key: key("c2/x"),
                document: document("c2/x")), known)
        aggregator.received(TargetWatchChange(kind: .noChange, targets: []), known)
        #expect(aggregator.makeEvent(at: version(2), known).targetChanges.count == 1)
        #expect(aggregator.visitCount == before + 1)
        #expect(aggregator.makeEvent(at: version(3), known).targetChanges.isEmpty)
        #expect(aggregator.visitCount == before + 1)
    }

    // MARK: Tokens for all

    private mutating func tellAll(token text: String) {
        aggregator.received(
            TargetWatchChange(kind: .noChange, targets: [], resumeToken: token(text)), known)
    }

    @Test mutating func `a heartbeat for all looks at no listen, and each resumes there`() {
        for number: Int32 in 1...1_000 {
            let (id, wire) = (TargetID(2 * number + 2), WireTargetID(100 + number))
            known.targets[id] = TargetData(
                id: id, target: collection("c\(number)").target, sequenceNumber: 1)
            aggregator.requested(wire, target: id)
            for kind in [TargetWatchChange.Kind.added, .current] {
                aggregator.received(TargetWatchChange(kind: kind, targets: [wire]), known)
            }
        }
        _ = aggregator.makeEvent(at: version(1), known)
        let before = aggregator.visitCount
        tellAll(token: "t2")
        #expect(aggregator.commonPoint(of: WireTargetID(101)) == nil)
        #expect(aggregator.makeEvent(at: version(2), known).targetChanges.isEmpty)
        #expect(aggregator.visitCount == before)
        for number: Int32 in [1, 500, 1_000] {
            let point = aggregator.commonPoint(of: WireTargetID(100 + number))
            #expect(point?.token == token("t2"))
            #expect(point?.version == version(2))
        }
        // It was never taken up.
        #expect(aggregator.commonPoint(of: wire) == nil)
    }

    @Test mutating func `a token for all counts for those taken up before, until their own`() {
        tell(.added)
        tellAll(token: "all")
        aggregator.requested(WireTargetID(10), target: rooms)
        aggregator.received(TargetWatchChange(kind: .added, targets: [WireTargetID(10)]), known)
        _ = aggregator.makeEvent(at: version(1), known)
        #expect(aggregator.commonPoint(of: wire)?.token == token("all"))
        #expect(aggregator.commonPoint(of: WireTargetID(10)) == nil)
        tell(.current, token: "own")
        // Nobody has told of the document yet, so the engine goes on from the last news.
        #expect(aggregator.commonPoint(of: wire)?.token == token("all"))
        let event = aggregator.makeEvent(at: version(2), known)
        #expect(event.targetChanges[rooms]?.resumeToken == token("own"))
        #expect(aggregator.commonPoint(of: wire) == nil)
    }

    @Test mutating func `what is told of a listen later takes the token for all along`() {
        tell(.added)
        tell(.current, token: "own")
        _ = aggregator.makeEvent(at: version(1), known)
        tellAll(token: "all")
        _ = aggregator.makeEvent(at: version(2), known)
        tell(document("rooms/hall"))
        let event = aggregator.makeEvent(at: version(3), known)
        #expect(event.targetChanges[rooms]?.resumeToken == token("all"))
    }

    @Test mutating func `a listen that is reset forgets the token for all`() {
        tell(.added)
        tellAll(token: "all")
        _ = aggregator.makeEvent(at: version(1), known)
        tell(.reset)
        #expect(aggregator.commonPoint(of: wire) == nil)
        #expect(
            aggregator.makeEvent(at: version(2), known).targetChanges[rooms]?.resumeToken == nil)
    }

    @Test mutating func `after five minutes an event carries the token for all to each listen`() {
        tell(.added)
        tell(.current, token: "own")
        _ = aggregator.makeEvent(at: version(1), known)
        tellAll(token: "early")
        let early = version(299_000_000)
        #expect(aggregator.makeEvent(at: early, known).targetChanges.isEmpty)
        tellAll(token: "late")
        let late = version(301_000_000)
        let change = aggregator.makeEvent(at: late, known).targetChanges[rooms]
        #expect(change?.resumeToken == token("late"))
        #expect(change?.isCurrent == true)
    }

    @Test mutating func `a document that left its own target is gone at the next event`() {
        let own = TargetID(4)
        known.targets[own] = TargetData(
            id: own, target: Query(document: key("rooms/hall")).target, sequenceNumber: 1)
        aggregator.requested(WireTargetID(10), target: own)
        for kind in [TargetWatchChange.Kind.added, .current] {
            aggregator.received(TargetWatchChange(kind: kind, targets: [WireTargetID(10)]), known)
        }
        known.keys[own] = [key("rooms/hall")]
        #expect(aggregator.makeEvent(at: version(1), known).documents.isEmpty)
        aggregator.received(
            DocumentWatchChange(
                updated: [], removed: [WireTargetID(10)], key: key("rooms/hall"), document: nil),
            known)
        #expect(aggregator.makeEvent(at: version(2), known).documents.isEmpty)
        known.keys[own] = []
        let event = aggregator.makeEvent(at: version(3), known)
        #expect(told("rooms/hall", by: event)?.isMissing == true)
        #expect(aggregator.makeEvent(at: version(4), known).documents.isEmpty)
    }

    @Test mutating func `an awaited document of which nothing is said is gone, once it is time`() {
        let own = TargetID(4)
        known.targets[own] = TargetData(
            id: own, target: Query(document: key("rooms/hall")).target, sequenceNumber: 1)
        aggregator.requested(WireTargetID(10), target: own)
        for kind in [TargetWatchChange.Kind.added, .current] {
            aggregator.received(TargetWatchChange(kind: kind, targets: [WireTargetID(10)]), known)
        }
        #expect(aggregator.makeEvent(at: version(1), known).documents.count == 1)
        #expect(aggregator.makeEvent(at: version(2), known).documents.isEmpty)
        let event = aggregator.makeEvent(at: version(3), awaiting: [WireTargetID(10)], known)
        #expect(told("rooms/hall", by: event)?.version == version(3))
    }
}
