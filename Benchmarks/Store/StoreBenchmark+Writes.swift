import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
import HearthStore

/// Writes of programs: accepted, sent and acknowledged.
extension StoreBenchmark {
    func writes() throws {
        try bench.take([.setNetwork(isEnabled: false)])
        var next = 0
        /// Accepts so many, each group in a turn. Enough turns that the commits of the database, one for
        /// thousands of writes, fall into the figure as often as they come.
        func accept(_ name: String, _ count: Int, group: Int = 1) throws {
            var longest = Longest()
            let stretch = max(1, 256 / group)
            let cost = try Meter.cost(of: 0..<(count / group / stretch)) { _ in
                (0..<stretch).map { _ in
                    (0..<group).map { _ in
                        next += 1
                        return freshWrite(next)
                    }
                }
            } _: { (groups: [[FirestoreEngine.Input]]) in
                for inputs in groups {
                    try longest.step { _ = try bench.take(inputs) }
                }
            }
            Meter.report(
                name, cost, per: count / group / stretch * stretch * group, goal: 100,
                note: longest.text)
        }
        try accept("accept, durable, queue empty", 1_024)
        try accept("accept, durable, 1000 queued", 20_480)
        try accept("accept in groups of 64", 78_592, group: 64)
        try accept("accept, durable, 100000 queued", 20_480)
        let revised = try Meter.cost(of: 0..<4) { part in
            (0..<250).map { index in
                let number = ((part * 250 + index) &* 7_907) % samples.count
                return bench.write(number, samples.fields(number, revision: 99))
            }
        } _: { (inputs: [FirestoreEngine.Input]) in
            for input in inputs { try bench.take([input]) }
        }
        Meter.report("accept over a cached document", revised, per: 1_000, goal: 100)
        try acknowledge()
    }

    /// Writes alone in three kinds of store by turns, a few at a time, so that what else the machine
    /// does makes all of them dearer alike: with the intake log, without it, and bare SQLite.
    func accepts() throws {
        let paths = [path + "-log", path + "-plain"]
        defer {
            for path in paths {
                for suffix in StoreFiles.suffixes + ["-lock"] { unlink(path + suffix) }
            }
        }
        let benches = [try Bench(path: paths[0]), try Bench(path: paths[1], keepsLog: false)]
        for bench in benches { try bench.take([.setNetwork(isEnabled: false)]) }
        let floor = try Floor(path: path + "-floor", tableCount: 1)
        var costs = [Cost](repeating: Cost(user: 0, system: 0, beside: 0, wall: 0), count: 3)
        let (rounds, size) = (100, 50)
        for round in 0..<rounds {
            for (place, bench) in benches.enumerated() {
                let inputs = (0..<size).map { freshWrite(round * size + $0, by: bench) }
                let cost = try Meter.cost { for input in inputs { try bench.take([input]) } }
                costs[place] = costs[place] + cost
            }
            costs[2] = costs[2] + (try Meter.cost { try floor.commit(size) })
        }
        let names = ["accept by turns, the log", "the database alone", "bare SQLite, 1 page"]
        for (name, cost) in zip(names, costs) {
            Meter.report(name, cost, per: rounds * size, goal: name == names[0] ? 100 : nil)
        }
    }

    /// A write of a document that nobody knows, with an id of chance like all others.
    private func freshWrite(_ number: Int, by writer: Bench? = nil) -> FirestoreEngine.Input {
        (writer ?? bench).write(
            number, samples.fields(number), id: SampleDocuments.key(1 << 40 + number))
    }

    private func acknowledge() throws {
        let opening = try bench.take([.setNetwork(isEnabled: true)])
        var number: StreamNumber?
        for case .upstream(.openWrite(let opened, as: _)) in opening { number = opened }
        guard let number else { throw Bench.Failure(reason: "no write stream was opened") }
        try bench.take([.upstream(.writeOpened(number))])
        try bench.take([.upstream(.writeHandshaken(number, [1]))])
        var version: Int64 = 1 << 32
        let count = 20_000
        let group = 10
        var longest = Longest()
        let cost = try Meter.cost {
            for _ in 0..<(count / group) {
                let inputs = (0..<group).map { _ -> FirestoreEngine.Input in
                    version += 1
                    let moment = SnapshotVersion(Timestamp(seconds: version, nanoseconds: 0))
                    return .upstream(
                        .writeAnswered(
                            number,
                            WriteAnswer(
                                token: [1], committedAt: moment,
                                results: [Mutation.Result(version: moment)])))
                }
                try longest.step { _ = try bench.take(inputs) }
            }
        }
        Meter.report(
            "acknowledge in tens, 100000 queued", cost, per: count, goal: 60, note: longest.text)
        try reads("read by key after 20000 acknowledged")
        try bench.take([.setNetwork(isEnabled: false)])
    }

    /// What the disk and SQLite alone take for a commit, in the same run.
    func floor() throws {
        for pageCount in [1, 4, 10] {
            let floor = try Floor(path: path + "-floor", tableCount: pageCount)
            let cost = try Meter.cost { try floor.commit(1_000) }
            Meter.report(
                "bare SQLite, a commit of \(pageCount) page\(pageCount > 1 ? "s" : "")", cost,
                per: 1_000)
        }
    }
}
