import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
import HearthStore

/// Openings, after an end in order and after a crash, and the forgetting of answered writes.
extension StoreBenchmark {
    func reopen() throws {
        let close = try Meter.cost {
            try bench.store.checkpoint()
            bench.close()
        }
        Meter.report("close, the log copied", close, per: 1)
        let cost = try Meter.cost { try bench.open() }
        Meter.report("reopen", cost, per: 1)
        let first = try Meter.cost { try bench.ask(Query(document: SampleDocuments.key(1))) }
        Meter.report("first read by key after it", first, per: 1)
        try bench.take([.setNetwork(isEnabled: false)])
        try crash("small writes") { samples.fields($0) }
        try crash("writes of 100 KiB") { number in
            var fields = samples.fields(number)
            fields["body"] = .string(String(repeating: "x", count: 100 << 10))
            return fields
        }
    }

    /// Opens what a crash leaves of the store when its intake log is as full as it gets: just before a
    /// commit of the database falls due.
    private func crash(_ name: String, _ fields: (Int) -> MapValue) throws {
        var next = 1 << 30
        func accept() throws {
            next += 1
            try bench.take([
                bench.write(next, fields(next), id: SampleDocuments.key(1 << 41 + next))
            ])
        }
        var count = 0
        try accept()  // The first one makes the log.
        try bench.store.checkpoint()
        let before = logChange
        while logChange == before {
            try accept()
            count += 1
        }
        try bench.store.checkpoint()
        for _ in 1..<count { try accept() }
        let copy = path + "-crashed"
        defer { for suffix in StoreFiles.suffixes + ["-lock"] { unlink(copy + suffix) } }
        for suffix in ["", "-wal", "-intake"] { try copyFile(path + suffix, to: copy + suffix) }
        let version = try bench.store.version
        var opened: Bench?
        let cost = try Meter.cost { opened = try Bench(path: copy) }
        guard try opened?.store.version == version else {
            throw Bench.Failure(reason: "the crash lost what was accepted")
        }
        Meter.report(
            "reopen after a crash, \(name)", cost, per: 1, note: "\(count - 1) in the intake log")
        let close = Meter.cost { opened?.close() }
        Meter.report("close after it", close, per: 1)
    }

    /// When the database's log was written to last.
    private var logChange: [Int] {
        var status = stat()
        guard stat(path + "-wal", &status) == 0 else { return [] }
        return [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }

    private func copyFile(_ source: String, to target: String) throws {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        let output = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer {
            close(input)
            close(output)
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4_096)
        defer { buffer.deallocate() }
        while case let count = read(input, buffer.baseAddress, buffer.count), count != 0 {
            guard count > 0, write(output, buffer.baseAddress, count) == count else {
                throw Bench.Failure(reason: "\(source) cannot be copied: \(errno)")
            }
        }
    }

    /// Forgets half of 200 thousand answered writes of a thousand clients by their age, and then half of
    /// the rest because they are too many.
    func forget() throws {
        let (count, clientCount) = (200_000, 1_000)
        let times = (0..<count).map { Timestamp(seconds: 1 << 33 + Int64($0), nanoseconds: 0) }
        for start in stride(from: 0, to: count, by: 1_000) {
            try bench.store.transaction { transaction throws(StoreError) in
                for number in start..<(start + 1_000) {
                    try remember(number, of: clientCount, at: times[number], in: transaction)
                }
            }
        }
        for (name, keptCount, time) in [
            ("by age", count, times[count / 2]), ("by count", count / 4, times[0]),
        ] {
            try bench.store.checkpoint()
            var longest = Longest()
            var slices = 0
            let cost = try Meter.cost {
                var goesOn = true
                while goesOn {
                    goesOn = try longest.step {
                        try bench.store.pruneRecords(keeping: keptCount, notedBefore: time)
                    }
                    slices += 1
                }
            }
            Meter.report(
                "forget answered writes \(name), a write", cost,
                per: name == "by age" ? count / 2 : count / 4,
                note: "\(slices) slices, \(longest.text)")
            let idle = try Meter.cost {
                for _ in 0..<100 {
                    try bench.store.pruneRecords(keeping: keptCount, notedBefore: time)
                }
            }
            Meter.report("nothing to forget", idle, per: 100)
        }
    }

    /// Appends a batch, which tells the store the time, and notes that it was committed.
    private func remember(
        _ number: Int, of clientCount: Int, at time: Timestamp,
        in transaction: any FirestoreTransaction
    ) throws(StoreError) {
        let id = BatchID(1 << 40 + Int64(number))
        if number % 10 == 0 {
            let key = SampleDocuments.key(1 << 42)
            let batch = MutationBatch(
                id: id, writtenAt: time, mutations: [Mutation(key: key, kind: .set([:]))])
            let queued = QueuedBatch(
                batch: batch, user: .unauthenticated, state: .queued,
                writer: Writer(uid: 1, gid: 1, pid: 1))
            try transaction.append(queued)
            try transaction.removeBatch(queued)
        }
        let identity = WriteIdentity(
            uid: 1,
            client: ClientID(high: UInt64(number % clientCount) &* 0x9E37_79B9_7F4A_7C15, low: 1),
            sequence: UInt64(number))
        try transaction.setRecord(
            WriteRecord(
                batch: id,
                outcome: .committed(at: SnapshotVersion(Timestamp(seconds: 1, nanoseconds: 0)))),
            of: identity)
    }
}
