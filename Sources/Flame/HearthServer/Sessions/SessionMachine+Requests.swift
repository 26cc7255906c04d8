import HearthEngine
import HearthModel
package import HearthWire

extension SessionMachine {
    /// A request of an open session: rights, number and quotas first, as the request's family says.
    ///
    /// - Parameter findings: What is known of the request already; `nil` if nothing is.
    mutating func asked(
        _ request: Request, _ number: UInt64, findings: RequestReading.Findings? = nil
    ) -> [Action] {
        let traits = findings?.traits ?? request.traits
        let refusal =
            if let findings, findings.grantNumber == grantNumber {
                findings.accessRefusal
            } else {
                accessRefusal(of: traits)
            }
        if let refusal { return refuse(number, refusal) }
        let begins: Bool
        switch traits.numbering {
        case .fresh: begins = true
        case .begun: begins = false
        case .freshOrBegun: begins = owed[number].map { !$0.isBegun } ?? true
        }
        if begins {
            guard !owed.isInUse(number) else {
                return end(
                    .init(
                        code: .invalidArgument,
                        message: "The number \(number) is in use; never use a number twice."))
            }
            if let refusal = quotaRefusal(traits.room) ?? objection(to: traits, findings) {
                return [.reply(.failed(refusal), number)]
            }
        }
        return admitted(request, number)
    }

    /// Why the backend could never take the request's contents; `nil` if the backend could.
    private func objection(
        to traits: RequestTraits, _ findings: RequestReading.Findings?
    ) -> HearthError? {
        if let findings { return findings.objection }
        return key.flatMap { traits.contents.objection(in: $0) }
    }

    private mutating func admitted(_ request: Request, _ number: UInt64) -> [Action] {
        switch request {
        case .session(.hello):
            return end(.init(code: .failedPrecondition, message: "Hello has come before."))
        case .session(.ping): return [.reply(.done, number)]
        case .session(.shareReads): return shareReads(number)
        case .session(.listenToStatus(let scope)): return listenToStatus(scope, number)
        case .session(.unlisten):
            return unlistenedToStatus(number) ?? dialogue?.unlistened(number, &owed) ?? []
        case .inquiry(let inquiry):
            if case .ledger(let question) = inquiry {
                return dialogue?.asked(question, ofUser: seenUser, number, &owed) ?? []
            }
            return ask(.inquiry(inquiry, ofUser: seenUser(in: inquiry)), number)
        case .administration(.reload): return ask(.reload, number)
        case .administration(.backUp(let position)):
            return ask(.backUp(position: position), number)
        case .administration(.authenticate(let order)): return ask(.signIn(order), number)
        case .administration(.steerQueue(let order)):
            return dialogue?.steered(order, number, &owed) ?? []
        case .administration(.steerRealtimeQueue(let order)):
            return dialogue?.steered(order, number, &owed) ?? []
        case .administration(.clearPersistence): return dialogue?.cleared(number, &owed) ?? []
        case .administration(.setNetwork(let isEnabled)):
            return dialogue?.switched(isOnline: isEnabled, number) ?? []
        case .firestore(let request): return dialogue?.admitted(request, number, &owed) ?? []
        case .realtime(let request): return dialogue?.admitted(request, number, &owed) ?? []
        }
    }

    /// The user whose programs alone the peer may see; `nil` if the peer may see all.
    var seenUser: UInt32? {
        grant?.holdsEverywhere(.administer) ?? false ? nil : configuration.peer.uid
    }

    /// The user whose matters alone the answer to an inquiry may show whole; `nil` if the peer may see all.
    private func seenUser(in inquiry: Inquiry) -> UInt32? {
        guard case .document = inquiry, let grant else { return seenUser }
        return RequestAccess.seesOverview(grant) ? nil : configuration.peer.uid
    }

    /// The client asks for the memory file, once: each descriptor on its way takes room of the kernel's.
    private mutating func shareReads(_ number: UInt64) -> [Action] {
        guard !hasAskedToShare else {
            let error = HearthError(
                code: .failedPrecondition,
                message: "The session has asked for shared reads before. The first request goes on "
                    + "to be answered.")
            return [.reply(.failed(error), number)]
        }
        hasAskedToShare = true
        return [.shareReads(number)]
    }

    private mutating func ask(_ question: Question, _ number: UInt64) -> [Action] {
        owed[number] = .reply
        return [.ask(question, number)]
    }

    /// The Firestore engine has something for the session.
    package mutating func delivered(_ delivery: FirestoreDelivery) -> [Action] {
        dialogue?.delivered(delivery, &owed) ?? []
    }

    /// The engine of an instance of the Realtime Database has something for the session.
    package mutating func delivered(realtime delivery: RealtimeDelivery) -> [Action] {
        dialogue?.delivered(delivery, &owed) ?? []
    }

    /// Whether a listener to the Realtime Database takes news; for many listeners, without actions.
    package mutating func takes(_ news: SharedNodes, _ number: UInt64) -> Bool {
        dialogue?.takes(news, number, owed) ?? false
    }

    /// The client reads again, after news for one of its listeners had been dropped.
    package mutating func listenAnew(_ number: UInt64) -> [Action] {
        dialogue?.listenAnew(number, owed) ?? []
    }

    /// What was asked for outside the engine has been found out.
    package mutating func reported(_ event: Event, number: UInt64) -> [Action] {
        if statusListeners[number] != nil { return reportedStatus(event, number) }
        guard case .report(.inspection(var inspection)) = event else {
            return owed.answer(number, event)
        }
        inspection.databases = allowed(inspection.databases)
        return owed.answer(number, .report(.inspection(inspection)))
    }

    /// The databases without those in which the peer may do nothing.
    func allowed(_ reports: [StatusReport]) -> [StatusReport] {
        reports.filter { report in
            // The state of the session's own database may be asked without any right.
            report.database == key
                || AccessGrant(configuration.access, to: configuration.peer, in: report.database)
                    .holdsAnything
        }
    }

    /// Whether a listener of this number wants to be told.
    package func listens(_ number: UInt64) -> Bool { owed.listens(number) }

    /// What the listeners listen to, in the order of their numbers.
    package var listenedTo: [ListenerText] { dialogue?.listenedTo ?? [] }

    /// The requests to write and the commits of transactions that have entered.
    package var writeCount: Int { dialogue?.writeCount ?? 0 }

    /// The begun bundles by their numbers; the value changes with each part of the bundle.
    package var begunBundles: [UInt64: UInt64] { dialogue?.begunBundles ?? [:] }

    /// Fails the bundles unchanged since `earlier`: the next part has not come in time.
    ///
    /// - Parameter earlier: The value of `begunBundles` at the start of that time.
    package mutating func bundlesTimedOut(_ earlier: [UInt64: UInt64]) -> [Action] {
        dialogue?.bundlesTimedOut(earlier, &owed) ?? []
    }

    // MARK: Quotas

    private var quota: RequestQuota {
        RequestQuota(configuration.limits, uid: configuration.peer.payer)
    }

    private func quotaRefusal(_ room: RequestTraits.Room) -> HearthError? {
        switch room {
        case .none: nil
        case .answer: quota.refusalOfAnswer(besides: openRequestCount, othersRequestCount)
        case .listener: quota.refusalOfListener(besides: openListenerCount, othersListenerCount)
        }
    }
}
