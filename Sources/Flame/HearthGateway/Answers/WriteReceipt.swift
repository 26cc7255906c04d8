import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRPC

/// The answer to a caller whose writes are done, or wait durably for the backend.
struct WriteReceipt {
    /// How far the writes have come.
    enum State: String {
        /// They are durable here.
        case accepted
        /// The backend has them.
        case committed
    }

    /// How far the writes have come.
    let state: State
    /// The batch that the writes became; `nil` for what is never queued.
    let batch: BatchID?
    /// The time of the commit, or the promise that stands for it.
    let time: Timestamp
    /// The result of each write.
    let results: [Mutation.Result]

    /// Of writes that wait: their time is a promise, and every reader recognises a promise by its
    /// mark.
    init(accepted mutations: [Mutation], as batch: BatchID, _ promise: PromisedWrite) {
        state = .accepted
        self.batch = batch
        time = promise.promisedAt
        let version = SnapshotVersion(promise.promisedAt)
        results = Self.results(
            of: mutations, versions: mutations.map { _ in version }, promise.transformResults)
    }

    /// Of writes that the backend has committed.
    ///
    /// - Parameters:
    ///   - versions: When each document changed; empty if only the commit's time is known.
    ///   - transformResults: What the transforms of each write came to; empty if that is not known.
    init(
        committed mutations: [Mutation], as batch: BatchID, at version: SnapshotVersion,
        versions: [SnapshotVersion], transformResults: [[Value]]
    ) {
        state = .committed
        self.batch = batch
        time = version.timestamp
        let isWhole = versions.count == mutations.count
        results = Self.results(
            of: mutations, versions: isWhole ? versions : mutations.map { _ in version },
            transformResults)
    }

    /// Of checks of conditions that the backend has found to hold.
    init(checked mutations: [Mutation], at version: SnapshotVersion) {
        state = .committed
        batch = nil
        time = version.timestamp
        results = Self.results(of: mutations, versions: mutations.map { _ in version }, [])
    }

    /// A deletion has no time of its own, as the backend answers it.
    private static func results(
        of mutations: [Mutation], versions: [SnapshotVersion], _ transformResults: [[Value]]
    ) -> [Mutation.Result] {
        mutations.indices.map { place in
            let values = transformResults.indices.contains(place) ? transformResults[place] : []
            let isUpdate =
                switch mutations[place].kind {
                case .set, .patch: true
                case .delete, .verify: false
                }
            return Mutation.Result(
                version: isUpdate ? versions[place] : .zero, transformResults: values)
        }
    }

    /// The answer to a commit.
    func commitResponse(_ codec: FirestoreCodec) throws(CodecError) -> ProtoCommitResponse {
        var response = ProtoCommitResponse()
        response.writeResults = try writeResults(codec)
        response.commitTime = FirestoreCodec.encode(time)
        return response
    }

    /// The results of the writes, in their order.
    func writeResults(_ codec: FirestoreCodec) throws(CodecError) -> [ProtoWriteResult] {
        var encoded: [ProtoWriteResult] = []
        encoded.reserveCapacity(results.count)
        for result in results { encoded.append(try codec.encode(result)) }
        return encoded
    }

    /// What the answer says beside its message.
    var metadata: CallMetadata {
        guard let batch else { return ["hearth-state": state.rawValue] }
        return ["hearth-batch": "\(batch)", "hearth-state": state.rawValue]
    }
}
