package import HearthModel

/// Why an engine refuses an order to the queue, or tells a writer that its write is gone.
extension HearthError {
    /// An engine that has not read its counters and its queue can answer nothing.
    package static let notStarted = HearthError(
        code: .unavailable,
        message: "The store could not be read yet, and is tried again. Ask again in a moment; the "
            + "journal tells why.")

    /// An order names nothing.
    package static let noBatches = HearthError(
        code: .invalidArgument, message: "Name at least one batch.")
    /// An edit would leave a batch without writes.
    package static let nothingToWrite = HearthError(
        code: .invalidArgument,
        message: "A batch needs something to write; to write nothing, cancel it.")
    /// An order tries the backend, and the network is switched off.
    package static let networkIsOff = HearthError(
        code: .failedPrecondition,
        message: "The network is not to be used now. `hearth network on` lets it be used; "
            + "`hearth status` tells more.")

    /// No such batch waits.
    package static func notQueued(_ batch: BatchID) -> HearthError {
        HearthError(
            code: .notFound,
            message:
                "No batch \(batch) waits in the queue. The backend may have taken it, or it is "
                + "among the dead letters.")
    }

    /// A batch is on its way, so nobody can take the batch back.
    package static func isSent(_ batch: BatchID) -> HearthError {
        HearthError(
            code: .failedPrecondition,
            message: "Batch \(batch) was sent and the answer has not come, so it is in doubt "
                + "whether it was applied. It can no longer be held, changed or taken back; wait "
                + "for the answer.")
    }

    /// No such batch was rejected.
    package static func noDeadLetter(_ batch: BatchID) -> HearthError {
        HearthError(code: .notFound, message: "No batch \(batch) is among the dead letters.")
    }

    /// A rejected batch may have been applied all the same.
    package static func mayBeApplied(_ batch: BatchID) -> HearthError {
        HearthError(
            code: .failedPrecondition,
            message: "Batch \(batch) may have been applied, so sending it again could apply it "
                + "twice. Say --even-if-applied to do so, or drop it.")
    }

    /// An administrator took a batch out of the queue.
    package static func takenOut(by uid: UInt32, isKept: Bool) -> HearthError {
        HearthError(
            code: .cancelled,
            message: "An administrator (uid \(uid)) took the write out of the queue before it was "
                + "sent" + (isKept ? "; it is among the dead letters." : "."))
    }

    /// Somebody else has signed in, and the store could not note it.
    package static let userIsChanging = HearthError(
        code: .unavailable,
        message: "Somebody else has signed in, and the store could not note it yet. Nothing was "
            + "changed; try again.")

    /// The store failed, so that a request could not be carried out.
    ///
    /// Only a failure that the store could not settle leaves open whether anything was changed. Its
    /// code is one that no client takes for leave to repeat a write.
    package static func storeFailed(_ error: StoreError) -> HearthError {
        switch error {
        case .full:
            HearthError(
                code: .resourceExhausted,
                message: "\(error) Nothing was changed; make room, then try again.")
        case .unsettled:
            HearthError(
                code: .dataLoss,
                message: "\(error) It may be there after a restart of the daemon; look before you "
                    + "try again.")
        case .io, .damaged, .misfit, .foreign, .locked:
            HearthError(
                code: .unavailable, message: "\(error) Nothing was changed; try again.")
        }
    }
}
