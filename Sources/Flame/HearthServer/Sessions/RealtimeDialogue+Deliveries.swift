import HearthEngine
import HearthModel
import HearthRealtime
import HearthWire

/// Turns the engine's news into answers to the client.
extension RealtimeDialogue {
    /// The engine has something for the session.
    ///
    /// A delivery that nobody waits for lost a race: the client unlistened, or the session is over.
    mutating func delivered(
        _ delivery: RealtimeDelivery, _ owed: inout OwedAnswers
    ) -> [Action] {
        switch delivery {
        case .news(let number, let news):
            return takes(news, number, owed) ? [.news(news, number)] : []
        case .fail(let number, let error):
            guard owed.listens(number) else { return [] }
            owed[number] = nil
            listens[number] = nil
            return [.forgetNews(number), .reply(.listenFailed(error), number)]
        case .answer(let number, let node):
            return owed.removeValue(forKey: number) == nil ? [] : [.nodes(node, number)]
        case .accept(let number, let batch):
            guard let sequence = owed.accept(number) else { return [] }
            return [.reply(.writeAccepted(.init(sequence: sequence, batch: batch)), number)]
        case .settle(let number, let batch, let outcome):
            return settled(number, batch, outcome, &owed)
        case .transaction(let number, let step): return stepped(number, step, &owed)
        case .complete(let number): return owed.answer(number, .done)
        case .refuse(let number, let error):
            rounds[number] = nil
            return owed.answer(number, .failed(error))
        case .steered(let number, let batches):
            return owed.answer(number, .queueSteered(batches))
        }
    }

    /// Whether a listener takes news: what it has no base for is left out until the whole comes.
    mutating func takes(
        _ news: SharedNodes, _ number: UInt64, _ owed: OwedAnswers
    ) -> Bool {
        guard owed.listens(number) else { return false }
        guard listens[number]?.isBehind == true else { return true }
        if news.isWhole { listens[number]?.isBehind = false }
        return news.isWhole
    }

    private func settled(
        _ number: UInt64, _ batch: BatchID, _ outcome: RealtimeOutcome, _ owed: inout OwedAnswers
    ) -> [Action] {
        switch outcome {
        case .pending: return []
        case .committed:
            guard let sequence = owed.settle(number) else { return [] }
            let event = Event.WriteCommitted(
                sequence: sequence, batch: batch, committedAt: .zero)
            return [.reply(.writeCommitted(event), number)]
        case .rejected(let error, _) where batch == .none:
            // What became of a write that was sent again is not known here.
            guard case .write(let sequence)? = owed[number] else { return [] }
            owed[number] = nil
            let event = Event.WriteRejected(
                sequence: sequence, batch: batch, error: error, mayHaveBeenApplied: true,
                isOutcomeUnknown: true)
            return [.reply(.writeRejected(event), number)]
        case .rejected(let error, let mayHaveBeenApplied):
            guard let sequence = owed.settle(number) else { return [] }
            let event = Event.WriteRejected(
                sequence: sequence, batch: batch, error: error,
                mayHaveBeenApplied: mayHaveBeenApplied)
            return [.reply(.writeRejected(event), number)]
        }
    }

    private mutating func stepped(
        _ number: UInt64, _ step: TransactionStep, _ owed: inout OwedAnswers
    ) -> [Action] {
        guard case .transaction? = owed[number] else { return [] }
        if case .run(_, let round) = step {
            // A race: the engine is yet to hear that the program may not see the data.
            if denied.contains(number) { return [] }
            rounds[number] = round
        } else {
            rounds[number] = nil
            owed[number] = nil
            denied.remove(number)
        }
        return [.step(SharedNodes(step), number)]
    }
}
