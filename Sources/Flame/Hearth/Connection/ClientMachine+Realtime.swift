import HearthModel
import HearthWire

/// Listeners and transactions of the Realtime Database.
extension ClientMachine {
    /// The listeners to the Realtime Database.
    var observers: [OperationID] {
        entries.filter { entry in
            if case .observe = entry.value.operation { true } else { false }
        }.keys.sorted()
    }

    /// A listener begins.
    mutating func observe(
        _ id: OperationID, _ target: ListenTarget, _ kind: ListenerKind, at now: Duration
    ) -> [Action] {
        let actions = begin(id, .observe(target, kind), at: now)
        return isOpen ? actions : [.waitForConnection(id)] + actions
    }

    /// A transaction begins.
    mutating func runTransaction(
        _ id: OperationID, _ path: RealtimePath, showsEstimate: Bool, at now: Duration
    ) -> [Action] {
        begin(
            id, .transaction(PendingTransaction(path: path, showsEstimate: showsEstimate)), at: now)
    }

    /// The program has computed its change, or gives the transaction up.
    mutating func propose(_ id: OperationID, _ node: UnresolvedNode?, round: Int) -> [Action] {
        guard let entry = entries[id], let number = entry.number,
            case .transaction(var transaction) = entry.operation,
            let open = transaction.openRound, open.number == round
        else { return [] }  // The connection was lost, or the transaction ended, meanwhile.
        do throws(WireError) {
            let frames = try codec.frames(
                of: .realtime(.propose(node, round: open.round)), number: number)
            transaction.openRound = nil
            transaction.hasProposed = true
            entries[id]?.operation = .transaction(transaction)
            return frames.map { .send($0) }
        } catch {
            remove(id)
            return [.fail(id, FirestoreError(error.hearthError))] + sendBacklog()
        }
    }

    /// A part of the answer to a one-time read.
    mutating func received(_ part: Event.NodePart, for id: OperationID) -> [Action] {
        guard let nodes = gather(part.nodes, for: id) else { return [] }
        remove(id)
        return [.answer(id, .node(Event.NodePart(isFromCache: part.isFromCache, nodes: nodes)))]
    }

    /// An event for a listener.
    mutating func received(
        _ event: Event, for id: OperationID, _ target: ListenTarget
    ) -> [Action] {
        guard case .viewNews(var part) = event else { return ended(id, by: event) }
        let isFirst = entries[id]?.nodes == nil
        guard let nodes = gather(part.nodes, for: id) else {
            return isFirst ? begin(id, part, target) : []
        }
        part.nodes = nodes
        // Whoever holds the view would take its first children for all, and miss the others.
        if part.isBeginning, entries[id]?.hasHeard == true { return [] }
        entries[id]?.hasHeard = true
        do throws(WireError) {
            let news = try part.news(of: target)
            if news.isBeginning { return [.begin(id, news)] }
            return noteInfo(news, of: target) + [.tell(id, told(news, of: target))]
        } catch {
            return unreadable(id, error)
        }
    }

    /// The first part of a large view: a new listener hears of the children in the part, and of
    /// the whole view when the view has come.
    private mutating func begin(
        _ id: OperationID, _ part: Event.ViewPart, _ target: ListenTarget
    ) -> [Action] {
        guard entries[id]?.hasHeard == false, let news = part.beginning(of: target) else {
            return []
        }
        entries[id]?.hasHeard = true
        return [.begin(id, news)]
    }

    /// An event for a transaction.
    mutating func received(
        _ event: Event, for id: OperationID, _ transaction: PendingTransaction
    ) -> [Action] {
        guard case .transaction(var part) = event else { return ended(id, by: event) }
        guard let nodes = gather(part.nodes, for: id) else { return [] }
        part.nodes = nodes
        do throws(WireError) {
            let step = try part.step()
            guard case .run(let node, let round) = step else {
                remove(id)
                return [.conclude(id, step)]
            }
            var transaction = transaction
            lastRound += 1
            transaction.openRound = .init(number: lastRound, round: round)
            transaction.hasProposed = false  // The daemon took back what was proposed before.
            entries[id]?.operation = .transaction(transaction)
            return [.run(id, node, round: lastRound)]
        } catch {
            return unreadable(id, error)
        }
    }

    /// Joins the parts of an event's nodes.
    ///
    /// - Returns: All nodes; `nil` while parts are to come.
    private mutating func gather(_ part: EncodedNodes, for id: OperationID) -> EncodedNodes? {
        guard var begun = entries[id]?.nodes else {
            if part.hasMore { entries[id]?.nodes = part }
            return part.hasMore ? nil : part
        }
        entries[id]?.nodes = nil  // So that the bytes have one owner, and grow in place.
        begun.append(part)
        guard begun.hasMore else { return begun }
        entries[id]?.nodes = begun
        return nil
    }

    private mutating func unreadable(_ id: OperationID, _ error: WireError) -> [Action] {
        remove(id)
        return [
            .fail(id, FirestoreError(.dataLoss, "The daemon's answer cannot be read: \(error)"))
        ]
    }
}
