import HearthEngine
import HearthFirestore
import HearthModel
import HearthStore

/// What live views make of changes: many that look for something else, and one that shows all.
extension StoreBenchmark {
    func views() throws {
        try bench.take([.setNetwork(isEnabled: false)])
        try accept("accept in groups of 64, no view there")
        try listen { number in
            [.field(FieldPath(["count"]), .equal, .integer(Int64(1 << 40 + number)))]
        }
        try accept("accept in groups of 64, 1000 views of values")
        try unlisten()
        try listen { number in
            let start = Int64(1 << 40 + number)
            return [
                .field(FieldPath(["count"]), .greaterThanOrEqual, .integer(start)),
                .field(FieldPath(["count"]), .lessThanOrEqual, .integer(start)),
            ]
        }
        try accept("accept in groups of 64, 1000 views of stretches")
        try unlisten()
        let before = Meter.residentMegabytes
        let all = try Meter.cost {
            try bench.take([
                .listen(name(0), Query(path: SampleDocuments.collection), cacheOnly)
            ])
        }
        Meter.report(
            "listen to all documents, a document", all, per: samples.count,
            note: "\(Meter.residentMegabytes - before) MB more")
        let turns = (0..<100).map { turn in
            (0..<64).map { bench.write(turn &* 64 &+ $0, samples.fields($0, revision: 7)) }
        }
        let revised = try Meter.cost { for inputs in turns { try bench.take(inputs) } }
        Meter.report("accept in groups of 64, a view shows them", revised, per: 6_400)
        let end = try Meter.cost { try bench.take([.unlisten(name(0))]) }
        Meter.report("end that listener, a document", end, per: samples.count)
        try loseResults()
    }

    /// Deletes the first result of a limited view, again and again, so that others take their place.
    private func loseResults() throws {
        var query = Query(path: SampleDocuments.collection)
        query.explicitOrderBys = [OrderBy(FieldPath(["price"]))]
        query.limit = Query.Limit(10)
        var first = try firstResult(of: bench.take([.listen(name(0), query, cacheOnly)]))
        let count = 40
        var longest = Longest()
        let cost = try Meter.cost {
            for _ in 0..<count {
                let write = WriteRequest(
                    id: bench.request(), writer: Writer(uid: 1, gid: 1, pid: 1),
                    mutations: [Mutation(key: first, kind: .delete)])
                first = try longest.step { try firstResult(of: bench.take([.write(write)])) }
            }
        }
        Meter.report("a view of ten loses a result", cost, per: count, note: longest.text)
        try bench.take([.unlisten(name(0))])
    }

    private func firstResult(of actions: [FirestoreEngine.Action]) throws -> DocumentKey {
        for case .emit(let snapshot, to: _) in actions {
            if let first = snapshot.documents.first { return first.key }
        }
        throw Bench.Failure(reason: "the view shows nothing")
    }

    private var cacheOnly: ListenOptions { ListenOptions(isCacheOnly: true) }

    private func name(_ number: Int) -> ListenerID {
        ListenerID(session: 7, number: UInt64(number + 1))
    }

    /// Opens a thousand views of a collection that holds next to nothing.
    private func listen(_ filters: (Int) -> [Filter]) throws {
        for number in 0..<1_000 {
            var query = Query(path: Self.quiet)
            query.filters = filters(number)
            try bench.take([.listen(name(number), query, cacheOnly)])
        }
    }

    private func unlisten() throws {
        for number in 0..<1_000 { try bench.take([.unlisten(name(number))]) }
    }

    /// Accepts writes to that collection, over a few documents again and again.
    private func accept(_ name: String) throws {
        let turns = (0..<40).map { _ in
            (0..<64).map { number -> FirestoreEngine.Input in
                guard let name = try? PathSegment(parsing: "d\(number)"),
                    let key = DocumentKey(Self.quiet.appending(name))
                else {
                    preconditionFailure("not a document")
                }
                return bench.write(number, samples.fields(number), id: key)
            }
        }
        let cost = try Meter.cost { for inputs in turns { try bench.take(inputs) } }
        Meter.report(name, cost, per: 40 * 64)
    }

    private static let quiet = ResourcePath(["others"])
}
