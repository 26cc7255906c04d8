import HearthEngine
import HearthModel
import HearthWire

/// What the library itself follows below `.info`.
extension ClientMachine {
    private static let connected: RealtimePath = ".info/connected"
    private static let serverTime: RealtimePath = ".info/serverTimeOffset"

    /// Begins to follow the machine's link, whose end carries out orders.
    mutating func followLink(at now: Duration) -> [Action] { follow(Self.connected, at: now) }

    /// Begins to follow the backend's clock.
    mutating func followServerTime(at now: Duration) -> [Action] {
        follow(Self.serverTime, at: now)
    }

    private mutating func follow(_ path: RealtimePath, at now: Duration) -> [Action] {
        if let id = followed[path], entries[id] != nil { return [] }
        let id = nextOperation()
        followed[path] = id
        return begin(id, .observe(ListenTarget(path, .all), .observer), at: now)
    }

    /// The program wants the daemon to leave the network alone, or no longer. Meanwhile the library
    /// tells the program that there is no connection, as other libraries do.
    mutating func withhold(_ isWithheld: Bool) -> [Action] {
        refusesNetwork = isWithheld
        // Without the link the program has heard so already.
        guard isLinked else { return [] }
        let askers = entries.filter { entry in
            guard case .observe(let target, .observer) = entry.value.operation else { return false }
            return Self.isConnected(target)
        }
        return askers.keys.sorted().map { .tell($0, Self.news(isConnected: !isWithheld)) }
    }

    /// The daemon's news as the program is to hear them.
    func told(_ news: ViewNews, of target: ListenTarget) -> ViewNews {
        refusesNetwork && Self.isConnected(target) ? Self.news(isConnected: false) : news
    }

    private static func isConnected(_ target: ListenTarget) -> Bool {
        target == ListenTarget(connected, .all)
    }

    private static func news(isConnected: Bool) -> ViewNews {
        ViewNews(
            ListenTarget(connected, .all), .whole(Node(.bool(isConnected))), isComplete: true,
            isValueTold: true)
    }

    /// Takes the daemon's news of `.info`, for any asker.
    mutating func noteInfo(_ news: ViewNews, of target: ListenTarget) -> [Action] {
        guard target.path.isInfo, let value = news.rootLeaf else { return [] }
        switch (target.path, value) {
        case (Self.connected, .bool(false)):
            isLinked = false
            standingOrders.linkEnded()
        case (Self.connected, .bool(true)):
            isLinked = true
            standingOrders.linkOpened()
            // What the daemon could not take before, it may take now.
            return giveOrders()
        case (Self.serverTime, .integer(let offset)): serverTimeOffset = offset
        default: break  // Nothing that the library needs.
        }
        return []
    }
}

extension ViewNews {
    /// The leaf that the whole view has become; `nil` if it has not, or is no leaf.
    fileprivate var rootLeaf: LeafValue? {
        switch content {
        case .whole(let node): node.leaf
        case .changes(let places): places.last { $0.place == WritePath(.root) }?.node.leaf
        }
    }
}
