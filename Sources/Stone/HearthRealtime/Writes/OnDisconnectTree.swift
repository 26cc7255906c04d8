import HashTreeCollections
package import HearthEngine
package import HearthModel

/// What is to happen when programs or the connection end, by session and by place.
///
/// The backend keeps one list for the one connection, in which a later order replaces earlier orders
/// at its places and below. The tree therefore gives the backend the orders of all programs, and
/// gives it anew what another program's farewell took away.
package struct OnDisconnectTree: Sendable {
    /// The number of an order, rising in the order of coming.
    package struct Number: Hashable, Comparable, Sendable {
        let rawValue: Int64

        package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// What a session is told.
    package enum Reply: Hashable, Sendable {
        /// The backend has the order, or has forgotten what was canceled.
        case complete(RequestID)
        /// The order was refused, and nothing will happen.
        case refuse(RequestID, HearthError)
    }

    /// The write of a program that has ended.
    package struct Farewell: Hashable, Sendable {
        /// The order.
        package let number: Number
        /// What to write.
        package let change: RealtimeChange
        /// Who ordered it.
        package let writer: Writer
        /// Whether the backend makes the write too when the connection ends.
        ///
        /// If the connection ends before the backend answers the write, the write must be dropped:
        /// sent later, the write could replace newer news.
        package let endsWithLink: Bool
    }

    /// What is left when the connection has ended.
    package struct Remains: Sendable {
        /// What the backend has written, or will, in this order.
        package var changes: [RealtimeChange] = []
        /// Writes of ended programs that must not be sent any more.
        package var dropped: [BatchID] = []
        /// What sessions are told.
        package var replies: [Reply] = []
    }

    /// How many orders one session may have.
    package static let sessionCountMax = 1_000
    /// How many orders the programs of one Unix user may have, with those that are gone.
    package static let uidCountMax = 10_000
    /// How many bytes these may take: 64 MiB.
    package static let uidByteCountMax = 64 << 20

    private(set) var orders: TreeDictionary<Number, StandingOrder> = [:]
    private var places = PathTree<TreeSet<Number>>()
    private var sessions: TreeDictionary<UInt64, TreeSet<Number>> = [:]
    /// What the orders of each Unix user take, of programs that are gone too.
    private var loads: TreeDictionary<UInt32, QueueLoad> = [:]
    private var farewells: TreeDictionary<BatchID, Number> = [:]
    var errands = OnDisconnectErrands()
    private var lastNumber: Int64 = 0

    /// No orders.
    package init() {}

    /// Whether the connection is needed: an order is with the backend, or waits for it.
    package var needsLink: Bool {
        !errands.isEmpty || orders.values.contains { $0.state != .local }
    }

    /// Whether a session has ordered anything.
    package func hasOrders(of session: UInt64) -> Bool { sessions[session] != nil }

    // MARK: Orders

    /// A session orders a write, or takes orders back.
    ///
    /// - Returns: Answers for which the backend need not be asked.
    package mutating func take(
        _ id: RequestID, _ order: OnDisconnectOrder, _ scope: OnDisconnectScope, _ writer: Writer
    ) -> [Reply] {
        switch order {
        case .write(let change): return add(id, change, scope, writer)
        case .cancel(let path): return cancel(id, path)
        }
    }

    private mutating func add(
        _ id: RequestID, _ change: RealtimeChange, _ scope: OnDisconnectScope, _ writer: Writer
    ) -> [Reply] {
        guard sessions[id.session]?.count ?? 0 < Self.sessionCountMax else {
            let error = HearthError(
                code: .resourceExhausted,
                message: "The order for the connection's end is refused: a program may have "
                    + "\(Self.sessionCountMax). Cancel some, or order one update of many places.")
            return [.refuse(id, error)]
        }
        if let error = refusal(of: writer.uid, adding: change.byteCount) {
            return [.refuse(id, error)]
        }
        // Who had no answer yet gets the answer to what replaces the order.
        let askers = change.parts.flatMap { replace($0.place, session: id.session, scope) }
        lastNumber += 1
        let isLocal = scope == .program
        let order = StandingOrder(
            number: Number(rawValue: lastNumber), session: id.session, scope: scope,
            writer: writer, change: change, state: isLocal ? .local : .waiting,
            askers: isLocal ? [] : askers + [id])
        insert(order)
        sessions[id.session, default: []].insert(order.number)
        if isLocal { return [.complete(id)] }
        errands.add(.register(order.number))
        return []
    }

    /// Orders of the connection's scope outlive their programs, so the user is counted too.
    private func refusal(of uid: UInt32, adding byteCount: Int) -> HearthError? {
        let load = loads[uid] ?? QueueLoad()
        guard
            load.batchCount >= Self.uidCountMax
                || load.byteCount + byteCount > Self.uidByteCountMax
        else { return nil }
        return HearthError(
            code: .resourceExhausted,
            message: "The order for the connection's end is refused: the programs of uid \(uid) "
                + "may have \(Self.uidCountMax) with \(Self.uidByteCountMax) bytes, also such "
                + "as outlive their programs. Cancel some.")
    }

    /// Forgets what a new order replaces: the same session's of the same scope.
    ///
    /// An order that outlives its program is replaced by whoever orders for the link again.
    private mutating func replace(
        _ place: WritePath, session: UInt64, _ scope: OnDisconnectScope
    ) -> [RequestID] {
        touching(place).flatMap { order in
            let isOwn = order.session == session || scope == .link
            return isOwn && order.scope == scope ? forget(place, of: order) : []
        }
    }

    private mutating func cancel(_ id: RequestID, _ path: RealtimePath) -> [Reply] {
        let place = WritePath(path)
        let own = touching(place).filter { $0.session == id.session }
        let replies = own.flatMap { forget(place, of: $0) }.map { Reply.complete($0) }
        guard own.contains(where: \.isUpstream) else { return replies + [.complete(id)] }
        errands.add(.cancel(place, for: id))
        registerAnew(below: place)
        return replies
    }

    /// The orders with parts at a place or below, in the order of coming.
    private func touching(_ place: WritePath) -> [StandingOrder] {
        var numbers: TreeSet<Number> = []
        places.subtree(at: place.path)?.walkDown { found, _ in
            numbers.formUnion(found)
            return !place.isPriority
        }
        return numbers.sorted().compactMap { orders[$0] }
            .filter { $0.places.contains(where: place.covers) }
    }

    /// Has the backend told again of what a cancelling took away there.
    private mutating func registerAnew(below place: WritePath) {
        for order in touching(place) where order.isUpstream {
            errands.add(.register(order.number))
        }
    }

    // MARK: The backend

    /// What the backend must be asked, in this order. Each must be sent.
    package mutating func takeRequests() -> [(errand: Int64, action: RealtimeAction)] {
        errands.take().compactMap { number, errand in
            switch errand {
            case .cancel(let place, _): return (number, .onDisconnectCancel(place))
            case .register(let order):
                // A race: the order was taken back before the backend heard of it.
                guard let standing = orders[order] else {
                    errands.finish(number)
                    return nil
                }
                if standing.state == .waiting { orders[order]?.state = .sent }
                return (number, standing.action)
            }
        }
    }

    /// The backend has answered a request.
    ///
    /// - Parameter error: Why the backend refused; `nil` if it did as asked.
    package mutating func answered(_ number: Int64, _ error: HearthError?) -> [Reply] {
        let askers: [RequestID]
        switch errands.finish(number) {
        case .cancel(_, let asker): askers = asker.map { [$0] } ?? []
        case .register(let number):
            guard let order = orders[number] else { return [] }
            orders[number]?.askers = []
            if error != nil {
                remove(order)
            } else if order.state == .sent {
                orders[number]?.state = .registered
            }
            askers = order.askers
        case nil: askers = []
        }
        return askers.map { id in error.map { .refuse(id, $0) } ?? .complete(id) }
    }

    /// The connection has ended, and with it all that the backend had. What the backend had not
    /// answered waits for the next connection.
    package mutating func linkClosed() -> Remains {
        var remains = Remains()
        for order in orders.values.sorted(by: { $0.number < $1.number }) {
            switch order.state {
            case .local, .waiting: break
            case .sent: orders[order.number]?.state = .waiting
            case .registered:
                remains.changes.append(order.change)
                remove(order)
            case .leaving(let batch):
                remains.changes.append(order.change)
                if let batch { remains.dropped.append(batch) }
                remove(order)
            }
        }
        remains.replies = errands.removeAll().map { .complete($0) }
        for order in orders.values.sorted(by: { $0.number < $1.number })
        where order.state == .waiting { errands.add(.register(order.number)) }
        return remains
    }

    // MARK: The end of programs

    /// A program is gone: what it ordered for its end must be written now, in this order.
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
                    number: number, change: order.change, writer: order.writer,
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
        for place in order.places {
            let isReplaced = ordersAbove(place).contains {
                $0.number > number && $0.isUpstream && $0.places.contains { $0.covers(place) }
            }
            if isReplaced { continue }
            errands.add(.cancel(place, for: nil))
            registerAnew(below: place)
        }
        return true
    }

    private func ordersAbove(_ place: WritePath) -> [StandingOrder] {
        var found: [StandingOrder] = []
        places.walk(to: place.path) { numbers, _ in
            found += numbers.compactMap { orders[$0] }
            return true
        }
        return found
    }

    // MARK: Storing

    private mutating func insert(_ order: StandingOrder) {
        orders[order.number] = order
        count(order, 1)
        for place in order.places {
            var numbers = places[place.path] ?? []
            numbers.insert(order.number)
            places[place.path] = numbers
        }
    }

    /// Takes an order's parts at a place and below away, unless its program has ended.
    ///
    /// - Returns: Who still waited for the backend to have the order, if all of it is gone.
    private mutating func forget(_ place: WritePath, of order: StandingOrder) -> [RequestID] {
        if case .leaving = order.state { return [] }
        let rest = order.change.without(place)
        guard rest != order.change else { return [] }
        remove(order, isOver: rest == nil)
        guard let rest else { return order.askers }
        var smaller = order
        smaller.change = rest
        insert(smaller)
        return []
    }

    /// Counts an order that comes (1) or goes (-1) for its Unix user.
    private mutating func count(_ order: StandingOrder, _ sign: Int) {
        var load = loads[order.writer.uid] ?? QueueLoad()
        load.batchCount += sign
        load.byteCount += sign * order.change.byteCount
        loads[order.writer.uid] = load.batchCount == 0 ? nil : load
    }

    private mutating func remove(_ order: StandingOrder, isOver: Bool = true) {
        orders[order.number] = nil
        count(order, -1)
        for place in order.places {
            var numbers = places[place.path] ?? []
            numbers.remove(order.number)
            places[place.path] = numbers.isEmpty ? nil : numbers
        }
        guard isOver else { return }
        if case .leaving(let batch?) = order.state { farewells[batch] = nil }
        sessions[order.session]?.remove(order.number)
        if sessions[order.session]?.isEmpty == true { sessions[order.session] = nil }
    }
}
