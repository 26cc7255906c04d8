import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthWire

// The fuzz target compiles this file together with parts of the module, see Scripts/fuzz.
#if canImport(HearthTesting)
    import HearthTesting
#endif

/// Steps by chance: requests of every kind, and what a backend says to them.
struct RequestChance {
    var random: SeededRandom
    private var queries: QueryChance
    private static let database = RequestBench.database
    private static let codec = WireCodec(database: database)
    private static let wire = FirestoreCodec(database: database)

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        queries = QueryChance(ValueChance(seed: seed &* 31, database: Self.database))
    }

    mutating func once(in count: Int) -> Bool { number(below: count) == 0 }

    mutating func number(below count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }

    // MARK: Steps

    /// Changes an input: mostly one field of a step, otherwise the list of steps.
    mutating func mutate(_ steps: inout [RequestStep]) {
        for _ in 0...number(below: 3) {
            let choice = number(below: 12)
            if steps.isEmpty || choice < 4 {
                steps.insert(step(), at: number(below: steps.count + 1))
                continue
            }
            let index = number(below: steps.count)
            switch choice {
            case 4: steps.remove(at: index)
            case 5: steps.append(steps[index])
            case 6: steps[index].number = UInt8(number(below: 256))
            case 7: steps.swapAt(index, number(below: steps.count))
            default: steps[index].body = ProtoMutation.mutated(steps[index].body, &self)
            }
        }
    }

    private mutating func step() -> RequestStep {
        let number = UInt8(2 + number(below: 40))
        switch self.number(below: 12) {
        case 0, 1, 2:
            return RequestStep(kindByte: 200, number: 0, body: listenResponse())
        case 3: return RequestStep(kindByte: 201, number: 0, body: writeResponse())
        case 4:
            return RequestStep(
                kindByte: RequestStep.firstOther + UInt8(2 + self.number(below: 4)), number: number,
                body: once(in: 2) ? writeResponse() : [])
        default:
            guard let frame = try? Self.codec.frame(of: request(), number: 1) else {
                return RequestStep(kindByte: 2, number: number, body: [])
            }
            return RequestStep(kindByte: frame.kind, number: number, body: frame.body)
        }
    }

    // MARK: Requests

    private mutating func key() -> DocumentKey {
        let collection: ResourcePath = one(of: [
            ResourcePath(["c"]), ResourcePath(["c", "a", "g"]), ResourcePath(["g"]),
        ])
        return DocumentKey(collection.appending(one(of: ValueChance.ids))) ?? Self.hall
    }

    private static let hall: DocumentKey = {
        guard let key = DocumentKey(ResourcePath(["c", "a"])) else { preconditionFailure("odd") }
        return key
    }()

    private mutating func query() -> Query {
        once(in: 4) ? Query(document: key()) : queries.query(document: nil)
    }

    private mutating func request() -> Request {
        switch number(below: 26) {
        case 0: .firestore(.get(query(), one(of: [.default, .server, .cache])))
        case 1, 2:
            .firestore(
                .listen(
                    query(),
                    .init(includeMetadataChanges: once(in: 2), isCacheOnly: once(in: 4))))
        case 3: .session(.unlisten)
        case 4, 5, 6:
            .firestore(
                .write(
                    .init(
                        sequence: UInt64(number(below: 9)), answeredBelow: UInt64(number(below: 3)),
                        mutations: mutations())))
        case 7:
            once(in: 2)
                ? .firestore(.waitForPendingWrites) : .firestore(.waitForOwnWrites(last: batch()))
        case 8: once(in: 2) ? .firestore(.listenToSync) : .firestore(.unlistenToSync)
        case 9: .firestore(.loadBundle(.init(data: bundle(), hasMore: once(in: 8))))
        case 10: .firestore(.getNamedQuery(one(of: ["q", "", "other"])))
        case 11:
            once(in: 2)
                ? .firestore(.readDocuments((0..<number(below: 3)).map { _ in key() }))
                : .firestore(.noteReads((0..<number(below: 3)).map { _ in key() }))
        case 12: .firestore(.commit(mutations()))
        case 13, 14:
            .firestore(
                .aggregate(
                    .init(
                        query: query(), aggregations: aggregations(),
                        source: one(of: [.default, .server, .cache]))))
        case 15:
            .firestore(
                .buildBundle(
                    .init(id: "b", queries: [.init(name: "q", query: query())], documents: [key()]))
            )
        case 16: .firestore(.explain(query()))
        case 17: .firestore(.manageIndexes(indexChange()))
        case 18: .inquiry(.collections(.init(below: once(in: 2) ? .root : key().path)))
        case 19: .firestore(.voteNetwork(isEnabled: once(in: 2)))
        case 20: .administration(.setNetwork(isEnabled: !once(in: 4)))
        case 24:
            .inquiry(
                .history(
                    .init(
                        of: key(), before: once(in: 2) ? Int64(number(below: 9)) : nil,
                        at: once(in: 3) ? Timestamp(seconds: 5, nanoseconds: 0) : nil)))
        case 23:
            .inquiry(.ledger(.init(by: one(of: [.program, .query, .listener, .day]))))
        case 21, 22: .administration(.steerQueue(steering()))
        default:
            once(in: 6)
                ? .administration(.clearPersistence) : .inquiry(.queue(.init(after: batch())))
        }
    }

    private mutating func batch() -> BatchID { BatchID(Int64(number(below: 12))) }

    private mutating func steering() -> QueueOrder<[Mutation]> {
        let ids = (0..<number(below: 3)).map { _ in batch() }
        return switch number(below: 9) {
        case 0: .hold(ids)
        case 1: .release(ids)
        case 2: .cancel(ids)
        case 3: .drop(ids)
        case 4: .edit(batch(), mutations())
        case 5: .retry
        case 6: .retryDeadLetters(ids, evenIfApplied: once(in: 2))
        case 7: .editDeadLetter(batch(), mutations(), evenIfApplied: once(in: 2))
        default: .dropDeadLetters(ids)
        }
    }

    private mutating func indexChange() -> IndexChange {
        let fields = QueryChance.fields.map { WireIndex.Field(path: $0, kind: .ascending) }
        let index = WireIndex(
            collectionGroup: one(of: ["c", "g"]), isGroup: once(in: 2),
            fields: Array(fields.prefix(1 + number(below: 3))))
        return switch number(below: 6) {
        case 0: .none
        case 1: .remove(index)
        case 2: .removeAll
        case 3: .setAutomaticCreation(isEnabled: once(in: 2))
        default: .add(index)
        }
    }

    private mutating func aggregations() -> [Aggregation] {
        (0...number(below: 2)).map { index in
            let field = one(of: QueryChance.fields)
            return Aggregation(
                alias: "n\(index)",
                operation: one(of: [
                    .count(upTo: nil), .count(upTo: 3), .sum(field), .average(field),
                ]))
        }
    }

    private mutating func mutations() -> [Mutation] {
        (0...number(below: 3)).map { _ in mutation() }
    }

    private mutating func mutation() -> Mutation {
        let key = key()
        let precondition: Precondition = one(of: [.none, .none, .exists(true), .exists(false)])
        switch number(below: 6) {
        case 0: return Mutation(key: key, kind: .delete, precondition: precondition)
        case 1:
            return Mutation(
                key: key, kind: .patch(queries.fieldsOfDocument(), FieldMask(QueryChance.fields)),
                precondition: precondition)
        case 2, 3:
            let operation: FieldTransform.Operation = one(of: [
                .serverTimestamp, .increment(.integer(.max)), .increment(.double(0.5)),
                .maximum(.integer(3)), .minimum(.double(-0.0)), .arrayUnion([.integer(1), .null]),
                .arrayRemove([.integer(1)]),
            ])
            return Mutation(
                key: key, kind: .patch(.empty, .empty), precondition: precondition,
                transforms: [.init(field: one(of: QueryChance.fields), operation: operation)])
        default:
            return Mutation(
                key: key, kind: .set(queries.fieldsOfDocument()), precondition: precondition)
        }
    }

    private mutating func document() -> Document {
        .found(key(), at: version(), queries.fieldsOfDocument(), createdAt: version())
    }

    private mutating func version() -> SnapshotVersion {
        SnapshotVersion(Timestamp(microseconds: Int64(1 + number(below: 40))))
    }

    private mutating func bundle() -> [UInt8] {
        var writer = BundleWriter(
            id: one(of: ["a", "b"]), createdAt: version(), database: Self.database)
        let query = queries.query(document: nil)
        if query.documentKey == nil { _ = writer.add(query, named: "q", readAt: version()) }
        for _ in 0..<number(below: 3) {
            var document = document()
            document.readAt = document.version
            writer.add(document, queries: ["q"])
        }
        let bytes = writer.bytes
        guard once(in: 2) else { return bytes }
        // Another name of the same length keeps the lengths of the elements right.
        let old = Array(one(of: ["\"c\"", "\"g\"", "/c/", "LAST", "1970", "0001"]).utf8)
        let new = Array(one(of: ["\"/\"", "\"\\\"", "///", "....", "0000", "9999"]).utf8)
        guard old.count == new.count else { return bytes }
        var changed = bytes
        for index in bytes.indices.dropLast(old.count)
        where bytes[index..<index + old.count].elementsEqual(old) && once(in: 2) {
            changed.replaceSubrange(index..<index + old.count, with: new)
        }
        return changed
    }

    // MARK: The backend

    private mutating func target() -> WireTargetID { WireTargetID(Int32(1 + number(below: 12))) }

    private mutating func listenResponse() -> [UInt8] {
        let change: WatchChange
        switch number(below: 9) {
        case 0, 1, 2, 3:
            let document = document()
            change = .document(
                .init(updated: [target()], removed: [], key: document.key, document: document))
        case 4:
            change = .document(
                .init(updated: [], removed: [target()], key: key(), document: nil))
        case 5:
            change = .existenceFilter(
                .init(target: target(), count: number(below: 4), unchangedNames: nil))
        default:
            let kind: TargetWatchChange.Kind = one(of: [
                .noChange, .noChange, .current, .reset, .removed(nil),
                .removed(HearthError(code: .permissionDenied, message: "No.")),
            ])
            change = .target(
                .init(
                    kind: kind, targets: once(in: 2) ? [] : [target()],
                    resumeToken: ResumeToken([7]), readAt: once(in: 4) ? .zero : version()))
        }
        return (try? Self.wire.encode(change)).map { FirestoreCodec.bytes(of: $0) } ?? []
    }

    private mutating func writeResponse() -> [UInt8] {
        var proto = ProtoWriteResponse()
        proto.commitTime = FirestoreCodec.encode(version().timestamp)
        proto.writeResults = (0..<number(below: 4)).compactMap { _ in
            try? Self.wire.encode(
                Mutation.Result(
                    version: version(), transformResults: once(in: 2) ? [.integer(1)] : []))
        }
        return FirestoreCodec.bytes(of: proto)
    }
}
