import Dispatch
import HearthEngine
import HearthModel
import HearthWire
import NIOCore
import Synchronization

/// Knows the pins of databases: the configured pins, and the pins that programs ordered, over
/// restarts.
///
/// The desk knows who may have which pin, and tells engines; how a pin stands, its engine knows. A pin
/// counts for its Unix user, and ends when the access rules no longer let that user read the query.
final class PinDesk: Sendable {
    private let orders: OrderBook<PinnedOrder>
    private let settings: LiveSettings
    /// The database whose pins the configuration names.
    private let standard: DatabaseID?
    /// Held while an engine hears its pins, so that the latest orders are told last.
    private let telling = Mutex(())

    /// A desk without orders, until `load`.
    init(_ settings: LiveSettings, standard: DatabaseID?, folder: String?) {
        self.settings = settings
        self.standard = standard
        orders = OrderBook(folder: folder, label: "hearth.pins")
    }

    /// Reads the orders of the daemon's life before, unless that is done. Blocks on the disk.
    ///
    /// If the file cannot be read, `complaint` tells why, and each order tries again.
    func load() { orders.load() }

    /// Why not all is pinned that programs ordered; `nil` if all is.
    var complaint: String? { orders.complaint }

    // MARK: What is pinned

    /// The databases with pins.
    var databases: Set<DatabaseID> {
        var databases = Set(orders.known.filter(isAllowed).map(\.database))
        if let standard, !settings.values.pins.keep.isEmpty { databases.insert(standard) }
        return databases
    }

    /// The pins of a database, and what they may take.
    func set(of database: DatabaseID) -> PinSet {
        let configuration = settings.values.pins
        var set = PinSet()
        set.pins = database == standard ? configuration.pins : []
        set.pins += orders.known.filter { $0.database == database && isAllowed($0) }.map(\.pin)
        set.uidByteCountMax = configuration.uidByteCountMax
        set.watchedCountMax = configuration.watchedCountMax
        return set
    }

    /// The Unix user whose limit counts a database that is open for its pins: the user of the first
    /// pin; `nil` if the configuration ordered a pin.
    func uid(of database: DatabaseID) -> UInt32? {
        if database == standard, !settings.values.pins.keep.isEmpty { return nil }
        return orders.known.first { $0.database == database && isAllowed($0) }?.peer.orderPayer
    }

    /// Tells an engine its pins, once nobody else is telling an engine.
    ///
    /// - Parameter tell: Takes the pins as they are now. Must not block.
    func tell(_ database: DatabaseID, _ tell: (PinSet) -> Void) {
        telling.withLock { _ in tell(set(of: database)) }
    }

    /// The pins that a peer may see, in order: the peer's own pins, and the configuration's pins whose
    /// queries the peer may read. An administrator sees all pins.
    func ids(for peer: Peer, in database: DatabaseID) -> [Pin.ID] {
        let grant = grant(to: peer, in: database)
        return set(of: database).pins.filter { pin in
            pin.id.uid == peer.uid || grant.holdsEverywhere(.administer)
                || pin.id.uid == nil && grant.refusal(of: .read, to: AccessScope(pin.query)) == nil
        }.map(\.id).sorted()
    }

    /// The pin that a peer means by a name; see `PinOrder.wait`.
    func id(
        named name: String, of uid: UInt32?, for peer: Peer, in database: DatabaseID
    ) -> Pin.ID? {
        let grant = grant(to: peer, in: database)
        let found = set(of: database).pins.filter { pin in
            utf8Equals(pin.id.name, name) && (uid == nil || pin.id.uid == uid)
                && (pin.id.uid == peer.uid
                    || grant.refusal(of: .read, to: AccessScope(pin.query)) == nil)
        }.map(\.id)
        return found.first { $0.uid == peer.uid } ?? found.min()
    }

    private func isAllowed(_ order: PinnedOrder) -> Bool { refusal(of: order) == nil }

    private func refusal(of order: PinnedOrder) -> AccessRefusal? {
        grant(to: order.peer, in: order.database)
            .refusal(of: .read, to: AccessScope(order.pin.query))
    }

    private func grant(to peer: Peer, in database: DatabaseID) -> AccessGrant {
        AccessGrant(settings.values.access, to: peer, in: .firestore(database))
    }

    // MARK: Orders

    /// Carries out an order; the future gets the failure, or `nil` once the order is on the disk.
    ///
    /// - Parameter pinnedByteCount: About how many bytes the pins have in the database that are paid for by
    ///   who pays for the peer.
    func carryOut(
        _ order: PinOrder, in database: DatabaseID, for peer: Peer, pinnedByteCount: Int,
        on loop: any EventLoop
    ) -> EventLoopFuture<HearthError?> {
        let promise = loop.makePromise(of: HearthError?.self)
        orders.queue.async {
            do throws(HearthError) {
                try self.carryOut(order, in: database, for: peer, pinnedByteCount: pinnedByteCount)
                promise.succeed(nil)
            } catch {
                promise.succeed(error)
            }
        }
        return promise.futureResult
    }

    private func carryOut(
        _ order: PinOrder, in database: DatabaseID, for peer: Peer, pinnedByteCount: Int
    ) throws(HearthError) {
        let old = try orders.loaded()
        var new = old
        switch order {
        case .list, .wait: return
        case .keep(let query, let name, let freshness):
            let byteCount = query.canonicalID.utf8.count
            guard byteCount <= PinConfiguration.queryByteCountMax else {
                throw .tooLongToPin(byteCount)
            }
            let id = Pin.ID(uid: peer.uid, name: name)
            new.list.removeAll { $0.pin.id == id && $0.database == database }
            if let error = refusal(in: database, for: peer, beside: new, pinnedByteCount) {
                throw error
            }
            new.list.append(
                PinnedOrder(
                    Pin(id: id, query: query, freshness: freshness), in: database, by: peer))
        case .end(let name, let uid):
            let id = Pin.ID(uid: uid ?? peer.uid, name: name)
            if id.uid != peer.uid, !grant(to: peer, in: database).holdsEverywhere(.administer) {
                throw .notOwn(id)
            }
            new.list.removeAll { $0.pin.id == id && $0.database == database }
            if new == old { throw .notPinned(id) }
        }
        guard new != old else { return }
        try orders.store(new)
    }

    /// Why a peer may not have one more pin; `nil` if it may.
    private func refusal(
        in database: DatabaseID, for peer: Peer, beside orders: PinnedOrders, _ pinnedByteCount: Int
    ) -> HearthError? {
        let (limits, countMax) = (settings.values.pins, settings.values.pins.uidCountMax)
        guard orders.count(of: peer.orderPayer) < countMax else {
            return .tooManyPins(of: peer.orderPayer, countMax)
        }
        guard pinnedByteCount < limits.uidByteCountMax else {
            return .tooManyPinnedBytes(
                of: peer.orderPayer, pinnedByteCount, limits.uidByteCountMax)
        }
        // Each database with pins is open for good.
        let databaseCountMax = settings.values.limits.uidDatabaseCountMax
        guard !peer.isAdministrator,
            orders.engineCount(of: peer.orderPayer, with: .firestore(database)) > databaseCountMax
        else { return nil }
        return .tooManyPinnedDatabases(of: peer.orderPayer, databaseCountMax)
    }

    /// Ends the pins whose users the access rules no longer let read them. Blocks on the disk.
    ///
    /// - Returns: The ended pins, each with the reason.
    func review() -> [(order: PinnedOrder, refusal: AccessRefusal)] {
        orders.queue.sync {
            guard var kept = try? orders.loaded() else { return [] }
            let ended = kept.list.compactMap { order in refusal(of: order).map { (order, $0) } }
            guard !ended.isEmpty else { return [] }
            let gone = Set(ended.map(\.0))
            kept.list.removeAll { gone.contains($0) }
            // If the disk refuses, the pins still count for nothing, and the next reload ends them.
            do throws(HearthError) { try orders.store(kept) } catch { return [] }
            return ended.map { (order: $0.0, refusal: $0.1) }
        }
    }
}

extension HearthError {
    /// There is no pin of a name.
    static func notPinned(_ id: Pin.ID) -> HearthError {
        HearthError(
            code: .notFound,
            message: "There is no pin \(id). `hearth pins` lists the pins.")
    }

    fileprivate static func notOwn(_ id: Pin.ID) -> HearthError {
        HearthError(
            code: .permissionDenied,
            message: "Only its own user and administrators may end the pin \(id).")
    }

    fileprivate static func tooManyPins(of uid: UInt32, _ countMax: Int) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "uid \(uid) has \(countMax) pins, and the limit is pins.uidCountMax = "
                + "\(countMax). End some with \"hearth unpin NAME\".")
    }

    fileprivate static func tooManyPinnedBytes(
        of uid: UInt32, _ byteCount: Int, _ byteCountMax: Int
    ) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "The pins of uid \(uid) have \(byteCount) bytes, and the limit is "
                + "pins.uidByteCountMax = \(byteCountMax). End some with \"hearth unpin NAME\".")
    }

    fileprivate static func tooLongToPin(_ byteCount: Int) -> HearthError {
        HearthError(
            code: .invalidArgument,
            message: "The query has \(byteCount) bytes, and a query that is pinned may have "
                + "\(PinConfiguration.queryByteCountMax). Pin a shorter one.")
    }

    fileprivate static func tooManyPinnedDatabases(
        of uid: UInt32, _ countMax: Int
    ) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message:
                "uid \(uid) has pins in \(countMax) databases, which stay open for them, and the "
                + "limit is limits.uidDatabaseCountMax = \(countMax). End the pins of one.")
    }
}
