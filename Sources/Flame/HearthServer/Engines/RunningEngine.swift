import HearthEngine
package import HearthFirestore
package import HearthRealtime

/// A running engine, with a reader that reads the store beside the engine's turns.
package struct RunningEngine: Sendable {
    /// The parts of the engine that sessions use, by the kind of the engine.
    package enum Service: Sendable {
        /// A Firestore engine's.
        case firestore(FirestoreService)
        /// The engine of an instance of the Realtime Database.
        case realtime(RealtimeService)
    }

    /// What the sessions of a Firestore engine use.
    package struct FirestoreService: Sendable {
        /// Where inputs go.
        package let inlet: any EngineInlet<FirestoreEngine.Input>
        /// What sessions may be answered without a turn.
        package let cachedReads: CachedReads
        /// Makes the calls to the backend that the engine has no word for.
        package let door: any BackendDoor

        /// Joins the parts.
        ///
        /// - Parameters:
        ///   - inlet: Where inputs go.
        ///   - cachedReads: What sessions may be answered without a turn.
        ///   - door: Makes the calls to the backend that the engine has no word for.
        package init(
            inlet: any EngineInlet<FirestoreEngine.Input>, cachedReads: CachedReads,
            door: any BackendDoor
        ) {
            self.inlet = inlet
            self.cachedReads = cachedReads
            self.door = door
        }
    }

    /// What the sessions of an instance of the Realtime Database use.
    package struct RealtimeService: Sendable {
        /// Where inputs go.
        package let inlet: any EngineInlet<RealtimeEngine.Input>
        /// Asks the backend what the engine has no word for.
        package let door: any RealtimeDoor
        /// What was asked through the door and is not answered.
        let questions = OpenQuestions()

        /// Joins the parts.
        package init(inlet: any EngineInlet<RealtimeEngine.Input>, door: any RealtimeDoor) {
            self.inlet = inlet
            self.door = door
        }
    }

    /// The engine's life for the daemon, which treats all kinds of engines alike.
    package let lifecycle: any EngineLifecycle
    /// What sessions use.
    package let service: Service
    /// Reads the store beside the engine's turns.
    package let reader: any StoreReading
    /// Removes the files of a closed engine if nobody ever wrote to the engine. Blocks on the disk.
    ///
    /// `nil` if the daemon must not close the engine while the daemon runs, because the engine
    /// keeps nothing on disk.
    package let cleanUp: (@Sendable () -> Void)?

    /// Joins the parts.
    ///
    /// - Parameters:
    ///   - lifecycle: The engine's life for the daemon.
    ///   - service: What sessions use.
    ///   - reader: Reads the store beside the engine's turns.
    ///   - cleanUp: Removes the files of a closed engine that nobody ever wrote to; `nil` keeps the
    ///     engine open while the daemon runs.
    package init(
        lifecycle: any EngineLifecycle, service: Service, reader: any StoreReading,
        cleanUp: (@Sendable () -> Void)? = nil
    ) {
        self.lifecycle = lifecycle
        self.service = service
        self.reader = reader
        self.cleanUp = cleanUp
    }

    /// These budgets count from now on, if the engine has a ledger.
    func setLedgerTerms(_ terms: LedgerTerms) {
        guard case .firestore(let firestore) = service else { return }
        _ = firestore.inlet.submit([.setLedgerTerms(terms)], from: .administration)
    }

    /// So much of documents' history is kept from now on, if the engine has documents.
    func setHistoryTerms(_ terms: HistoryTerms) {
        guard case .firestore(let firestore) = service else { return }
        _ = firestore.inlet.submit([.setHistoryTerms(terms)], from: .administration)
    }

    /// The memory of hot documents; `nil` for an engine that has none.
    package var cachedReads: CachedReads? {
        switch service {
        case .firestore(let firestore): firestore.cachedReads
        case .realtime: nil
        }
    }

    /// Whether the engine's store is still being opened, so that nobody can tell what the store
    /// has.
    var isBeforeOpening: Bool { lifecycle.status.phase == .opening }

    /// Whether its store is being opened, and no longer than that may take.
    package var isOpening: Bool {
        guard let since = lifecycle.status.openingSince else { return false }
        return .now - since < HostLimits.openingTimeMax
    }

    /// Whether nothing is lost if it is closed: no batch waits, sent or held, and nobody must decide
    /// on a rejected one. Blocks on the disk.
    var isIdle: Bool {
        guard cleanUp != nil, lifecycle.status.phase == .open,
            let figures = try? reader.figures()
        else { return false }
        return figures.queueBatchCount == 0 && figures.deadLetterCount == 0
    }
}
