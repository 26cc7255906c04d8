/// A state whose changes are told only when they are on disk, with its versions on the way there.
///
///     now       the state now
///     flying    the state when the group on its way to the disk was closed
///     saved     the state on disk; `nil` if nothing differs from `now`
///
/// As soon as one change waits for the disk, all answers wait too. Who has seen a change will
/// therefore see the change after a crash.
struct DurableState<State: Sendable>: Sendable {
    /// The state now.
    var now: State
    private let isKept: Bool
    private var saved: State?
    private var flying: State?
    private var isSaving = false

    /// Begins with what is on disk.
    ///
    /// - Parameter isKept: Whether there is a disk.
    init(_ state: State, isKept: Bool) {
        now = state
        self.isKept = isKept
    }

    /// Whether what is told now must wait for the disk.
    var isAhead: Bool { saved != nil }

    /// The state before a turn, which the turn gives to `turned`; `nil` if nobody needs it.
    ///
    /// Without a disk nobody does, so the turn may change the state's trees in place.
    var beforeTurn: State? { isKept && saved == nil ? now : nil }

    /// A turn is over.
    ///
    /// - Parameter hasChanged: Whether the disk must be told.
    mutating func turned(from before: State?, hasChanged: Bool) {
        if let before, hasChanged { saved = before }
    }

    /// Whether somebody must begin to save, since nobody does.
    ///
    /// - Parameter isWaiting: Whether there is a group to save.
    mutating func beginsSaving(isWaiting: Bool) -> Bool {
        guard isWaiting, !isSaving else { return false }
        isSaving = true
        return true
    }

    /// The group that waits is on its way to the disk; or there is none, and saving is over.
    mutating func closeGroup(isEmpty: Bool) {
        if isEmpty {
            isSaving = false
        } else {
            flying = now
        }
    }

    /// The group is on disk.
    ///
    /// - Parameter isMoreWaiting: Whether the next group has begun.
    mutating func landed(isMoreWaiting: Bool) {
        saved = isMoreWaiting ? flying : nil
        flying = nil
    }

    /// The group did not get to the disk: takes the state back to what is on disk.
    mutating func lost() {
        if let saved { now = saved }
        saved = nil
        flying = nil
    }

    /// Changes the state, and the older ones that may come back.
    mutating func updateAll<Failure: Error>(
        _ body: (inout State) throws(Failure) -> Void
    ) throws(Failure) {
        try body(&now)
        if var state = saved {
            try body(&state)
            saved = state
        }
        if var state = flying {
            try body(&state)
            flying = state
        }
    }
}
