import HashTreeCollections
package import HearthEngine
package import HearthModel

/// What is to happen when programs or the connection end, by session and by place.
///
/// The backend keeps a single list for the connection, in which a later order replaces earlier
/// orders at its places and below. The tree therefore gives the backend the orders of all programs,
/// and gives it anew what another program's farewell took away.
package struct OnDisconnectTree: Sendable {
    /// The number of an order, rising in the order of coming.
    package struct Number: Hashable, Comparable, Sendable {
        let rawValue: Int64

        package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// How many orders one session may have.
    package static let sessionCountMax = 1_000
    /// How many orders all programs of one paying Unix user may have, programs that are gone included.
    package static let uidCountMax = 10_000
    /// How many bytes these orders may take: 64 MiB.
    package static let uidByteCountMax = 64 << 20

    /// Who pays for whom: the limits of one Unix user count the orders of all whom the user pays for.
    var owners = SubordinateRanges()
    var orders: TreeDictionary<Number, StandingOrder> = [:]
    /// The parts of all orders, by their places.
    private var places = PathTree<TreeSet<PlacedPart>>()
    private var sessions: TreeDictionary<UInt64, TreeSet<Number>> = [:]
    /// What the orders of each Unix user take, of programs that are gone too.
    private var loads: TreeDictionary<UInt32, QueueLoad> = [:]
    /// What the orders take in memory, with the writes that come of the orders.
    private(set) var held = HeldBytes()
    private var farewells: TreeDictionary<BatchID, Number> = [:]
    var errands = OnDisconnectErrands()
    private var lastNumber: Int64 = 0
    /// How many orders are the backend's matter too.
    private var sharedCount = 0
    /// How many parts of orders were looked at so far: the cost of the tree.
    private(set) var lookCount = 0

    /// One part of an order, at the place where the tree keeps it.
    private struct PlacedPart: Hashable, Sendable {
        let order: Number
        let isPriority: Bool
    }

    /// No orders.
    package init() {}

    /// Whether the connection is needed: an order is with the backend, or waits for it. O(1).
    package var needsLink: Bool { !errands.isEmpty || sharedCount > 0 }

    /// Whether a session has ordered anything.
    package func hasOrders(of session: UInt64) -> Bool { sessions[session] != nil }

    /// The orders of a session, in the order of coming.
    func orders(of session: UInt64) -> [StandingOrder] {
        (sessions[session] ?? []).sorted().compactMap { orders[$0] }
    }

    // MARK: Orders

    /// A session orders a write, or takes orders back.
    ///
    /// - Parameters:
    ///   - id: The request that the order's answer goes to.
    ///   - order: The write, or the place whose orders are taken back.
    ///   - scope: Whose end carries the write out.
    ///   - writer: The process that orders.
    ///   - user: The Firebase user who orders.
    /// - Returns: Answers for which the backend need not be asked.
    package mutating func take(
        _ id: RequestID, _ order: OnDisconnectOrder, _ scope: OnDisconnectScope, _ writer: Writer,
        of user: UserID
    ) -> [Reply] {
        switch order {
        case .write(let change): return add(id, change, scope, writer, of: user)
        case .cancel(let path): return cancel(id, path)
        }
    }

    private mutating func add(
        _ id: RequestID, _ change: RealtimeChange, _ scope: OnDisconnectScope, _ writer: Writer,
        of user: UserID
    ) -> [Reply] {
        guard sessions[id.session]?.count ?? 0 < Self.sessionCountMax else {
            let error = HearthError(
                code: .resourceExhausted,
                message: "The order for the connection's end is refused: a program may have "
                    + "\(Self.sessionCountMax). Cancel some, or order one update of many places.")
            return [.refuse(id, error)]
        }
        lastNumber += 1
        let isLocal = scope == .program
        let owner = StandingOrder.Owner(session: id.session, writer: writer, user: user)
        var order = StandingOrder(
            Number(rawValue: lastNumber), change, scope, of: owner,
            state: isLocal ? .local : .waiting)
        if let error = refusal(of: writer.uid, adding: order.byteCount) {
            return [.refuse(id, error)]
        }
        // Who had no answer yet gets the answer to what replaces the order.
        let askers = replace(Array(order.parts.keys), session: id.session, scope)
        if !isLocal { order.askers = askers + [id] }
        insert(order)
        if isLocal { return [.complete(id)] }
        errands.add(.register(order.number))
        return []
    }

    /// Orders of the connection's scope outlive their programs, so the user is counted too.
    private func refusal(of uid: UInt32, adding byteCount: Int) -> HearthError? {
        let payer = owners.owner(of: uid)
        let load = load(paidBy: payer)
        guard
            load.batchCount >= Self.uidCountMax
                || load.byteCount + byteCount > Self.uidByteCountMax
        else { return nil }
        return HearthError(
            code: .resourceExhausted,
            message: "The order for the connection's end is refused: the programs of uid \(payer) "
                + "may have \(Self.uidCountMax) with \(Self.uidByteCountMax) bytes, also such "
                + "as outlive their programs. Cancel some.")
    }

    /// What all orders take that a Unix user pays for. O(users with orders).
    private func load(paidBy payer: UInt32) -> QueueLoad {
        loads.reduce(into: QueueLoad()) { sum, entry in
            guard owners.owner(of: entry.key) == payer else { return }
            sum.batchCount += entry.value.batchCount
            sum.byteCount += entry.value.byteCount
        }
    }

    /// Forgets what a new order replaces: the same session's of the same scope.
    ///
    /// If the order outlives its program, the next session that orders for the link replaces the
    /// order.
    private mutating func replace(
        _ places: [WritePath], session: UInt64, _ scope: OnDisconnectScope
    ) -> [RequestID] {
        let replaced = places.flatMap { parts(coveredBy: $0) }.filter { part in
            guard let order = orders[part.order], order.scope == scope else { return false }
            return order.session == session || scope == .link
        }
        return forget(replaced)
    }

    private mutating func cancel(_ id: RequestID, _ path: RealtimePath) -> [Reply] {
        let place = WritePath(path)
        let own = parts(coveredBy: place).filter { orders[$0.order]?.session == id.session }
        let isAsked = own.contains { orders[$0.order]?.isUpstream ?? false }
        let replies = forget(own).map { Reply.complete($0) }
        guard isAsked else { return replies + [.complete(id)] }
        errands.add(.cancel(place, for: id))
        restore(below: [place])
        return replies
    }

    /// Takes back a session's orders at these places, and at no other places.
    ///
    /// - Parameters:
    ///   - denied: The places that the access rules no longer allow.
    ///   - session: The session.
    ///   - error: The refusal.
    /// - Returns: Refusals for the orders that lost their last part before the backend had taken
    ///   the order.
    package mutating func deny(
        _ denied: [WritePath], of session: UInt64, because error: HearthError
    ) -> [Reply] {
        var own: [Part] = []
        var canceled: [WritePath] = []
        for place in denied {
            for part in places[place.path] ?? [] where part.isPriority == place.isPriority {
                guard let order = orders[part.order], order.session == session else { continue }
                own.append(Part(order: part.order, place: place))
                if order.isUpstream, !isReplaced(place, after: part.order) {
                    canceled.append(place)
                }
            }
        }
        let replies = forget(own).map { Reply.refuse($0, error) }
        for place in canceled { errands.add(.cancel(place, for: nil)) }
        restore(below: canceled)
        return replies
    }

    /// Tells the backend again the parts that a cancelling at some places takes away there.
    ///
    /// Each order is told once, and only with the parts that the cancelling meets: the others
    /// stand, or a later order stands in their places.
    private mutating func restore(below canceled: [WritePath]) {
        // One cancelled place may lie below another.
        var lost: [Number: Set<WritePath>] = [:]
        for part in canceled.flatMap({ parts(coveredBy: $0) }) {
            guard orders[part.order]?.isUpstream ?? false else { continue }
            lost[part.order, default: []].insert(part.place)
        }
        for (number, places) in lost.sorted(by: { $0.key < $1.key }) {
            errands.add(.restore(number, Array(places)))
        }
    }

    // MARK: The end of programs

    /// A program is gone. The caller must write the program's orders for its end now, in the
    /// returned order.
    package mutating func sessionEnded(_ session: UInt64) -> [Farewell] {
        var writes: [Farewell] = []
        for number in (sessions.removeValue(forKey: session) ?? []).sorted() {
            guard let order = orders[number] else { continue }
            orders[number]?.askers.removeAll { $0.session == session }
            guard order.scope != .link else { continue }
            if order.isUpstream {
                orders[number]?.state = .leaving(nil)
            } else {
                remove(order)
            }
            // Of an order that the backend never heard of, nothing was promised.
            guard order.state != .waiting else { continue }
            writes.append(
                Farewell(
                    number: number, change: order.change, writer: order.writer, user: order.user,
                    endsWithLink: order.isUpstream))
        }
        return writes
    }

    /// The write of an ended program is queued.
    package mutating func queued(_ number: Number, as batch: BatchID) {
        guard case .leaving? = orders[number]?.state else { return }
        orders[number]?.state = .leaving(batch)
        farewells[batch] = number
    }

    /// A write has left the queue. If it was an ended program's, the backend forgets the order.
    ///
    /// - Returns: Whether it was an ended program's.
    @discardableResult
    package mutating func settled(_ batch: BatchID) -> Bool {
        guard let number = farewells[batch], let order = orders[number] else { return false }
        remove(order)
        let canceled = order.places.filter { !isReplaced($0, after: number) }
        for place in canceled { errands.add(.cancel(place, for: nil)) }
        restore(below: canceled)
        return true
    }

    /// Whether a later order, at the place or above, has taken the place of an order at the backend.
    private mutating func isReplaced(_ place: WritePath, after number: Number) -> Bool {
        var (isReplaced, count) = (false, 0)
        places.walk(to: place.path) { parts, depth in
            count += parts.count
            isReplaced = parts.contains { part in
                let covers =
                    !part.isPriority || (depth == place.path.depth && place.isPriority)
                return covers && part.order > number && orders[part.order]?.isUpstream ?? false
            }
            return !isReplaced
        }
        lookCount += count
        return isReplaced
    }

    // MARK: Storing

    /// A part of an order, by its place.
    struct Part {
        let order: Number
        let place: WritePath
    }

    /// The parts of all orders at a place and below. O(parts found).
    private mutating func parts(coveredBy place: WritePath) -> [Part] {
        var found: [Part] = []
        if place.isPriority {
            found = (places[place.path] ?? []).filter(\.isPriority)
                .map { Part(order: $0.order, place: place) }
        } else {
            places.subtree(at: place.path)?.walkDown { parts, rest in
                let path = place.path.appending(rest)
                found += parts.map {
                    Part(order: $0.order, place: WritePath(path, isPriority: $0.isPriority))
                }
                return true
            }
        }
        lookCount += found.count
        return found
    }

    private mutating func insert(_ order: StandingOrder) {
        orders[order.number] = order
        sessions[order.session, default: []].insert(order.number)
        if order.state != .local { sharedCount += 1 }
        count(order.writer.uid, orders: 1, bytes: order.byteCount)
        held.add(order.heldByteCount, of: order.writer.uid)
        for place in order.places {
            let part = PlacedPart(order: order.number, isPriority: place.isPriority)
            places[place.path] = (places[place.path] ?? []).union([part])
        }
        lookCount += order.parts.count
    }

    /// Takes parts of orders away, except of those whose programs have ended. O(parts).
    ///
    /// - Returns: The requests that still waited for the backend to take orders without any part
    ///   left.
    mutating func forget(_ parts: [Part]) -> [RequestID] {
        var over: [StandingOrder] = []
        for part in parts {
            guard var order = orders[part.order], !order.isLeaving else { continue }
            let byteCount = order.byteCount(of: part.place)
            let heldByteCount = order.heldByteCount(of: part.place)
            guard order.parts.removeValue(forKey: part.place) != nil else { continue }
            orders[part.order] = order
            vacate(part.place, by: part.order)
            count(order.writer.uid, bytes: -byteCount)
            held.add(-heldByteCount, of: order.writer.uid)
            if order.parts.isEmpty {
                remove(order)
                over.append(order)
            }
        }
        return over.sorted { $0.number < $1.number }.flatMap(\.askers)
    }

    /// Takes an order away, whatever has become of it.
    mutating func remove(_ order: StandingOrder) {
        guard orders.removeValue(forKey: order.number) != nil else { return }
        if order.state != .local { sharedCount -= 1 }
        count(order.writer.uid, orders: -1, bytes: -order.byteCount)
        held.add(-order.heldByteCount, of: order.writer.uid)
        for place in order.places { vacate(place, by: order.number) }
        if case .leaving(let batch?) = order.state { farewells[batch] = nil }
        sessions[order.session]?.remove(order.number)
        if sessions[order.session]?.isEmpty == true { sessions[order.session] = nil }
    }

    private mutating func vacate(_ place: WritePath, by order: Number) {
        lookCount += 1
        guard var parts = places[place.path] else { return }
        parts.remove(PlacedPart(order: order, isPriority: place.isPriority))
        places[place.path] = parts.isEmpty ? nil : parts
    }

    /// Counts for a Unix user what comes, or with negative numbers what goes.
    private mutating func count(_ uid: UInt32, orders: Int = 0, bytes: Int) {
        var load = loads[uid] ?? QueueLoad()
        load.batchCount += orders
        load.byteCount += bytes
        loads[uid] = load.batchCount == 0 ? nil : load
    }
}
