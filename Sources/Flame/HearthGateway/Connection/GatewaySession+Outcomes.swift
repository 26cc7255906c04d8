import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer

/// Who hears what becomes of the writes that the engine has accepted.
extension GatewaySession {
    /// Remembers for which writes somebody waits. In front of who takes the delivery, and may
    /// disclaim the write.
    func note(_ delivery: FirestoreDelivery) {
        switch delivery {
        case .accept(let number, let batch): awaited[number] = batch
        case .settle(let number, _, _): awaited[number] = nil
        case .snapshot, .inSync, .fail, .answer, .complete, .refuse, .loaded, .found, .explained,
            .indexes, .result:
            break
        }
    }

    /// Drops the outcome of an accepted write: nobody here hears the outcome, so a rejection
    /// becomes a waiting dead letter.
    ///
    /// The engine hears of it also while the session ends.
    func disclaim(_ request: UInt64, _ batch: BatchID) {
        forget(request)
        awaited[request] = nil
        report(.disclaim(RequestID(session: id, number: request), batch))
    }

    /// A write was rejected, and its caller does not have the answer yet: a session that leaves
    /// disclaims the outcome.
    func awaitAnswer(_ request: UInt64, _ batch: BatchID) { awaited[request] = batch }

    /// The caller of a write has its answer, a rejection: nobody needs the batch's letter any more.
    ///
    /// The engine hears of it also while the session ends.
    func noteTold(_ request: UInt64, _ batch: BatchID) {
        awaited[request] = nil
        report(.told(batch))
    }
}
