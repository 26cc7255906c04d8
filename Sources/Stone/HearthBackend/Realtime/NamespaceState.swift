import HashTreeCollections
import HearthModel
import HearthRules

/// An order of the children of one place.
struct OrderKey: Hashable, Sendable {
    let path: RealtimePath
    let index: QueryIndex
}

/// One namespace: its tree, its rules, and who listens.
struct NamespaceState: Sendable {
    var root = Node.empty
    var listens = ListenTree()
    var rules: RealtimeRuleSet
    /// What the rules have come to; `nil` if nobody wants to know.
    var coverage: RuleCoverage?
    /// What the rules have said since somebody took it; `nil` if nobody wants to know.
    var verdicts: [RuleVerdict]?
    var settings = NamespaceSettings()
    /// Orders that the rules declare, kept even if nobody listens.
    private(set) var keptOrders: TreeSet<OrderKey> = []
    var pushIDs = PushIDGenerator()
    /// What was written lately; counted only under hosted limits.
    var writeRate = WriteRate()
    /// How many places with listeners, and filtered queries, changes have looked at.
    ///
    /// Tests check that the work of telling grows with the size of the change.
    var examinedCount = 0

    /// - Parameter keepsVerdicts: Whether somebody wants to know what the rules say.
    init(rules: RealtimeRuleSet, keepsVerdicts: Bool = false) {
        self.rules = rules
        verdicts = keepsVerdicts ? [] : nil
    }
}

/// Orders that are kept.
extension NamespaceState {
    /// Whether an order has an index: it needs none, or the rules declare it.
    func hasIndex(_ index: QueryIndex, at path: RealtimePath) -> Bool {
        switch index {
        case .key, .priority: true
        case .value: rules.hasIndex(.value, at: path)
        case .child(let child): rules.hasIndex(.child(child), at: path)
        }
    }

    /// The children of a place in an order. A declared order, or an order held for a listener,
    /// stays from then on.
    mutating func children(
        at path: RealtimePath, by index: QueryIndex, isHeld: Bool
    ) -> IndexedNode {
        if let known = listens.point(at: path)?.orders[index] { return known }
        let children = IndexedNode(root.node(at: path), by: index)
        guard !children.isByKey else { return children }
        let isDeclared = hasIndex(index, at: path)
        guard isHeld || isDeclared else { return children }
        listens.update(at: path) { $0.orders[index] = children }
        if isDeclared { keep(OrderKey(path: path, index: index)) }
        return children
    }

    /// Lets go of an order when the order's last listener has gone, unless the rules declare the
    /// order.
    mutating func release(_ key: OrderKey) {
        if hasIndex(key.index, at: key.path) {
            keep(key)
        } else {
            listens.update(at: key.path) { $0.releaseOrder(key.index) }
        }
    }

    /// Lets go of the orders that the rules no longer declare.
    mutating func releaseUndeclared() {
        for key in keptOrders where !hasIndex(key.index, at: key.path) { drop(key) }
    }

    /// Takes the orders of places as a change has left them.
    mutating func take(_ kept: [FanOut.KeptOrders]) {
        for place in kept {
            let path = place.path
            let gone = listens.update(at: path) { point in
                defer { point.orders = place.orders }
                return point.orders.keys.filter { place.orders[$0] == nil }
            }
            for index in gone { keptOrders.remove(OrderKey(path: path, index: index)) }
        }
    }

    private mutating func keep(_ key: OrderKey) {
        guard listens.point(at: key.path)?.orders[key.index] != nil else { return }
        if keptOrders.count >= RealtimeLimits.keptOrderCountMax, !keptOrders.contains(key),
            let other = keptOrders.first
        {
            drop(other)
        }
        keptOrders.insert(key)
    }

    private mutating func drop(_ key: OrderKey) {
        keptOrders.remove(key)
        listens.update(at: key.path) { $0.releaseOrder(key.index) }
    }
}
