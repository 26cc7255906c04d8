import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import NIOCore

/// Queues writes that stand or fall together, and waits for the backend as long as the terms say.
///
///     asked --accepted--> waiting --answered--> told
///       \                    \--patience over, session over--> told, as accepted
///        \--refused--> told
///
/// The writes stay in the queue whatever becomes of the caller. If the caller does not hear of a
/// rejection, the rejection is a waiting dead letter. For the event loop of the connection.
final class QueuedWrite: WriteUnderWay {
    private(set) var progress = WriteProgress.asked
    private let order: WriteOrder
    private var number: UInt64 = 0
    private var promise: PromisedWrite?
    private var transformResults: [[Value]] = []
    private var batch: BatchID?
    private var patience: Scheduled<Void>?
    /// Whether the caller was told, or wants to be told no more.
    private var isTold = false
    /// Whether the outcome, a rejection, waits for the answer that it is a part of.
    private var isUnheard = false
    private var isHeld = false

    private init(_ order: WriteOrder) {
        self.order = order
    }

    /// Asks the engine to queue writes that have been checked.
    ///
    /// The writes are taken when the engine has accepted or refused them.
    static func begin(_ order: WriteOrder) -> QueuedWrite {
        let write = QueuedWrite(order)
        let terms = order.terms
        order.session.hold(ClientMemory.writeByteCount)
        write.isHeld = true
        write.number = order.session.ask({ id in
            .write(
                WriteRequest(
                    id: id, identity: terms.identity, writer: terms.writer,
                    mutations: order.mutations, conditions: terms.conditions))
        }) { write.take($0) }
        return write
    }

    func abandon() {
        if isUnheard {
            isUnheard = false
            return disclaim()
        }
        guard !isTold else { return }
        isTold = true
        patience?.cancel()
        if batch != nil { disclaim() }
    }

    func answered() {
        guard isUnheard, let batch else { return }
        isUnheard = false
        order.session.noteTold(number, batch)
    }

    /// Nothing more comes.
    private func release() {
        guard isHeld else { return }
        isHeld = false
        order.session.release(ClientMemory.writeByteCount)
    }

    // MARK: From the engine

    private func take(_ delivery: FirestoreDelivery) -> Bool {
        switch delivery {
        case .result(_, .promised(let promise)): self.promise = promise
        case .result(_, .transformed(let results)): transformResults = results
        case .accept(_, let batch): return accepted(batch)
        case .settle(_, let batch, let outcome):
            settled(batch, outcome)
            return false
        case .refuse(_, let error):
            refused(error)
            return false
        case .result(_, .writeForgotten):
            order.whenTaken()
            release()
            finish(.failure(WriteRefusal(.writeForgotten)))
            return false
        case .snapshot, .fail, .inSync, .answer, .complete, .loaded, .found, .explained, .indexes,
            .result:
            preconditionFailure("The answer to another question: \(delivery)")
        }
        return true
    }

    /// The engine refuses the writes; or the session ends, and what is durable is told as such.
    private func refused(_ error: HearthError) {
        if batch == nil {
            progress = .nothing
            order.whenTaken()
        } else {
            tellAccepted()
        }
        release()
        finish(.failure(WriteRefusal(ofEngine: error, for: order.mutations)))
    }

    private func accepted(_ batch: BatchID) -> Bool {
        self.batch = batch
        progress = .accepted(batch)
        order.whenTaken()
        if isTold {
            disclaim()
            return false
        }
        switch order.terms.wait {
        case .always: return true
        case .never:
            tellAccepted()
            return !isTold
        case .atMost(let time):
            patience = order.session.connection.eventLoop.assumeIsolated().scheduleTask(in: time) {
                [self] in tellAccepted()
            }
            return true
        }
    }

    /// Tells that the write is durable. One that was sent before and is answered has no promise; its
    /// outcome follows at once.
    private func tellAccepted() {
        guard !isTold, let batch, let promise else { return }
        finish(.success(WriteReceipt(accepted: order.mutations, as: batch, promise)))
        disclaim()
    }

    private func settled(_ batch: BatchID, _ outcome: WriteOutcome) {
        self.batch = batch
        release()
        switch outcome {
        case .pending: preconditionFailure("Batch \(batch) is settled and waits")
        case .rejected(let error, _):
            progress = .nothing
            isUnheard = !isTold
            if isUnheard { order.session.awaitAnswer(number, batch) }
            finish(.failure(WriteRefusal(error)))
            if !order.isPart { answered() }
        case .committed(let version, let versions):
            progress = .committed(batch)
            finish(
                .success(
                    WriteReceipt(
                        committed: order.mutations, as: batch, at: version, versions: versions,
                        transformResults: transformResults)))
        }
    }

    private func finish(_ result: Result<WriteReceipt, WriteRefusal>) {
        guard !isTold else { return }
        isTold = true
        patience?.cancel()
        order.tell(result)
    }

    /// The outcome is told to nobody here.
    private func disclaim() {
        guard let batch else { return }
        release()
        order.session.disclaim(number, batch)
    }
}

extension HearthError {
    /// A resend that comes too late to be told from a new write.
    fileprivate static let writeForgotten = HearthError(
        code: .failedPrecondition,
        message: "What became of the write is forgotten, so that it is not known whether it was "
            + "done. Read the documents, and write under a new hearth-request-id.")
}
