import Hearth

/// A database of either kind, as commands look after it.
protocol OperatedDatabase: DaemonDatabase {
    /// A write as an object, which `queue show` prints.
    static func literal(of write: BatchWrite) -> ValueLiteral

    /// The write that an object describes.
    func write(from literal: ValueLiteral) throws -> BatchWrite

    /// Waits until the backend has answered all writes of all programs that were accepted so far.
    func waitUntilAnswered() async throws

    /// Listens to something while `work` runs: a daemon from which nobody wants anything does not try
    /// its backend.
    func listening<Result: Sendable>(
        while work: @Sendable () async throws -> Result
    ) async throws -> Result
}

/// The batches of a database with their writes as objects.
extension OperatedDatabase {
    /// A batch that waits.
    func shownBatch(_ number: Int64) async throws -> (batch: BatchText, writes: [ValueLiteral]) {
        let (batch, writes) = try await pendingBatch(number)
        return (BatchText(batch, now: Timestamp()), writes.map(Self.literal))
    }

    /// A batch that was rejected.
    func shownLetter(_ number: Int64) async throws -> (batch: BatchText, writes: [ValueLiteral]) {
        let (letter, writes) = try await deadLetter(number)
        return (BatchText(letter, now: Timestamp()), writes.map(Self.literal))
    }

    /// Does something that may take long. If the daemon stands still meanwhile, the call fails as
    /// if the daemon were gone.
    func attended<Result: Sendable>(
        while work: @Sendable () async throws -> Result
    ) async throws -> Result {
        // The library looks after the daemon's pulse while somebody listens to the daemon's state.
        let listening = Task { for await _ in states {} }
        defer { listening.cancel() }
        return try await work()
    }

    /// Replaces what a batch writes.
    func editBatch(_ number: Int64, to literals: [ValueLiteral]) async throws {
        try await editPendingBatch(number, writes: try literals.map { try write(from: $0) })
    }

    /// Queues a rejected batch with other writes.
    ///
    /// - Returns: Its new number.
    func editLetter(
        _ number: Int64, to literals: [ValueLiteral], evenIfApplied: Bool
    ) async throws -> Int64 {
        try await editDeadLetter(
            number, writes: try literals.map { try write(from: $0) }, evenIfApplied: evenIfApplied)
    }
}

extension Firestore: OperatedDatabase {
    static func literal(of write: PendingWrite) -> ValueLiteral { WriteText.literal(write) }

    func write(from literal: ValueLiteral) throws -> PendingWrite {
        try WriteText.write(literal, in: self)
    }

    func waitUntilAnswered() async throws { try await waitForPendingWrites() }

    func listening<Result: Sendable>(
        while work: @Sendable () async throws -> Result
    ) async throws -> Result {
        let listener = document("hearth/live").addSnapshotListener { _, _ in }
        defer { listener.remove() }
        return try await work()
    }
}

extension Database: OperatedDatabase {
    static func literal(of write: PendingNodeWrite) -> ValueLiteral { NodeWriteText.literal(write) }

    func write(from literal: ValueLiteral) throws -> PendingNodeWrite {
        try NodeWriteText.write(literal)
    }

    func waitUntilAnswered() async throws { try await waitForPendingWrites() }

    func listening<Result: Sendable>(
        while work: @Sendable () async throws -> Result
    ) async throws -> Result {
        let place = reference(withPath: "hearth/live")
        let handle = place.observe(.value) { _ in }
        defer { place.removeObserver(withHandle: handle) }
        return try await work()
    }
}
