import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
import HearthStore

/// Measures the store and the engine in one process, without sockets: processor time for each
/// operation, at a cache of so many documents.
///
///     HearthStoreBenchmark [--documents N] [--folder PATH] [--only NAME,NAME]
@main
struct StoreBenchmark {
    let samples: SampleDocuments
    let bench: Bench
    let path: String
    private let only: String?

    static func main() throws {
        var count = 100_000
        var folder = "/tmp"
        var only: String?
        var arguments = CommandLine.arguments.dropFirst()
        while let name = arguments.popFirst(), let value = arguments.popFirst() {
            switch name {
            case "--documents": count = Int(value) ?? count
            case "--folder": folder = value
            case "--only": only = value
            default: throw Bench.Failure(reason: "unknown option \(name)")
            }
        }
        let path = "\(folder)/hearth-bench-\(getpid()).sqlite"
        defer { for suffix in StoreFiles.suffixes + ["-lock"] { unlink(path + suffix) } }
        let run = try StoreBenchmark(count: count, path: path, only: only)
        try run.all()
    }

    private init(count: Int, path: String, only: String?) throws {
        samples = SampleDocuments(count: count)
        bench = try Bench(path: path)
        self.path = path
        self.only = only
    }

    private func all() throws {
        Meter.reportHead("\(samples.count) documents")
        try events()
        if wants("read") { try reads("read by key") }
        if wants("query") { try queries() }
        if wants("index") { try indexes() }
        if wants("views") { try views() }
        if wants("write") || wants("floor") { try floor() }
        if wants("accept") { try accepts() }
        if wants("write") { try writes() }
        if wants("realtime") { try realtime() }
        if wants("bundle") { try bundle() }
        if wants("reopen") { try reopen() }
        if wants("forget") { try forget() }
        if wants("collect") { try collect() }
    }

    private func wants(_ name: String) -> Bool {
        only.map { $0.split(separator: ",").contains(Substring(name)) } ?? true
    }

    // MARK: Events

    private func events() throws {
        let target = try bench.startWatching()
        var version: Int64 = 1
        func revise(_ range: Range<Int>, revision: Int) throws -> Cost {
            let starts = stride(from: range.lowerBound, to: range.upperBound, by: 500)
            return try Meter.cost(of: starts) { start in
                version += 1
                let moment = SnapshotVersion(Timestamp(seconds: version, nanoseconds: 0))
                return (start..<min(range.upperBound, start + 500)).map {
                    samples.document($0, revision: revision, at: moment)
                }
            } _: { (documents: [Document]) in
                try bench.tell(documents, of: target, on: StreamNumber(1))
            }
        }
        let first = try revise(0..<samples.count, revision: 0)
        Meter.report("remote events of 500, new documents", first, per: samples.count, goal: 30)
        guard wants("event") else { return }
        let few = min(10_000, samples.count)
        for revision in 1..<10 { _ = try revise(0..<few, revision: revision) }
        let tenth = try revise(0..<few, revision: 10)
        Meter.report("remote events of 500, tenth revision", tenth, per: few, goal: 30)
    }

    // MARK: Reads

    func reads(_ name: String) throws {
        let count = 10_000
        let cost = try Meter.cost {
            for index in 0..<count {
                let key = SampleDocuments.key((index &* 7_907) % samples.count)
                try bench.ask(Query(document: key))
            }
        }
        Meter.report(name, cost, per: count)
    }

    private func equality(_ number: Int) -> Query {
        var query = Query(path: SampleDocuments.collection)
        query.filters = [.field(FieldPath(["city"]), .equal, .string("city-\(number)"))]
        return query
    }

    private var ordered: Query {
        var query = Query(path: SampleDocuments.collection)
        query.explicitOrderBys = [OrderBy(FieldPath(["count"]))]
        query.limit = Query.Limit(10)
        return query
    }

    private func queries() throws {
        let repetitions = 3
        let equal = try Meter.cost {
            for number in 0..<repetitions { try bench.ask(equality(number)) }
        }
        Meter.report(
            "city ==, 10 results, scan, a document", equal, per: samples.count * repetitions,
            goal: 1)
        let sorted = try Meter.cost { for _ in 0..<repetitions { try bench.ask(ordered) } }
        Meter.report(
            "order by count, limit 10, scan, a document", sorted, per: samples.count * repetitions,
            goal: 2)
    }

    // MARK: Indexes

    private func indexes() throws {
        try bench.take([.manageIndexes(bench.request(), .setAutomaticCreation(isEnabled: true))])
        try bench.ask(equality(1))
        try bench.ask(ordered)
        var longest = Longest()
        var slices = 0
        var goesOn = true
        let fill = try Meter.cost {
            while goesOn {
                goesOn = try longest.step {
                    try bench.take([.timerFired(.indexBackfill)]).contains {
                        if case .schedule(.indexBackfill, _) = $0 { true } else { false }
                    }
                }
                slices += 1
            }
        }
        Meter.report(
            "backfill of two automatic indexes, a document and index", fill,
            per: 2 * samples.count, goal: 20,
            note: "\(slices) slices, \(longest.text), "
                + "all in \(Meter.text(fill.wall / 1e6)) s")
        let count = 1_000
        let equal = try Meter.cost {
            for number in 0..<count { try bench.ask(equality(number % samples.cityCount)) }
        }
        let plan = try bench.explain(equality(3))
        Meter.report(
            "city ==, 10 results, \(plan.plan.rawValue)", equal, per: count, goal: 200,
            note: "examined \(plan.examinedCount)")
        let sorted = try Meter.cost { for _ in 0..<count { try bench.ask(ordered) } }
        let sortedPlan = try bench.explain(ordered)
        Meter.report(
            "order by count, limit 10, \(sortedPlan.plan.rawValue)", sorted, per: count, goal: 200,
            note: "examined \(sortedPlan.examinedCount)")
    }

    // MARK: The rest

    private func bundle() throws {
        let count = 10_000
        let moment = SnapshotVersion(Timestamp(seconds: 1 << 33, nanoseconds: 0))
        let entries = (0..<count).map { number -> Bundle.Entry in
            var document = Document.found(
                SampleDocuments.key("b\(number)"), at: moment, samples.fields(number))
            document.readAt = moment
            return Bundle.Entry(document: document, queries: [])
        }
        let bundle = Bundle(
            record: BundleRecord(id: "bench", createdAt: moment, version: 1), entries: entries,
            namedQueries: [], byteCount: count * 900)
        var longest = Longest()
        var slices = 0
        var goesOn = true
        let cost = try Meter.cost {
            var input = FirestoreEngine.Input.loadBundle(bench.request(), bundle)
            while goesOn {
                goesOn = try longest.step {
                    try bench.take([input]).contains(.schedule(.bundles, after: .zero))
                }
                input = .timerFired(.bundles)
                slices += 1
            }
        }
        Meter.report(
            "load a bundle of 10000, read", cost, per: count, goal: 40,
            note: "\(slices) slices, \(longest.text)")
    }

    private func collect() throws {
        try bench.take([.unlisten(ListenerID(session: 1, number: 1))])
        try bench.store.checkpoint()
        let sizeBefore = fileMegabytes
        let before = try bench.store.readers.read { reader throws(StoreError) in
            try reader.counts()
        }.value
        var longest = Longest()
        var slices = 0
        var goesOn = true
        let cost = try Meter.cost {
            var input = FirestoreEngine.Input.collectGarbage(cacheByteCountMax: 0)
            while goesOn {
                goesOn = try longest.step {
                    try bench.take([input]).contains {
                        if case .schedule(.garbageCollection, let delay) = $0 {
                            delay < .seconds(1)
                        } else {
                            false
                        }
                    }
                }
                input = .timerFired(.garbageCollection)
                slices += 1
            }
        }
        let after = try bench.store.readers.read { reader throws(StoreError) in
            try reader.counts()
        }.value
        Meter.report(
            "collect, a document", cost, per: max(1, before.documentCount - after.documentCount),
            goal: 30,
            note: "\(before.documentCount - after.documentCount) in \(slices) slices, "
                + longest.text)
        let pageCount = 64  // As the daemon does it.
        longest = Longest()
        slices = 0
        goesOn = true
        let shrink = try Meter.cost {
            while goesOn {
                goesOn = try longest.step { try bench.store.shrink(pageCountMax: pageCount) }
                slices += 1
            }
        }
        try bench.store.checkpoint()
        Meter.report(
            "give free pages back, a page", shrink, per: slices * pageCount,
            note: "\(slices) slices, \(longest.text); file "
                + "\(sizeBefore) MB before collecting, now \(fileMegabytes) MB")
    }

    private var fileMegabytes: Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) >> 20 : 0
    }
}
