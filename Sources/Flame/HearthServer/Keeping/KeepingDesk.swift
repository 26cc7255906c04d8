import Dispatch
import HearthEngine
import HearthModel
import HearthWire
import NIOCore
import Synchronization

/// Knows the places that instances keep in step for good: the configured places, and the places
/// that programs ordered, over restarts.
///
/// An order counts for its Unix user, and rests while the access rules do not let whoever gave it
/// read the place.
final class KeepingDesk: Sendable {
    private let orders: OrderBook<KeptOrder>
    private let settings: LiveSettings
    /// The instance whose places the configuration names.
    private let standard: InstanceID?
    /// Held while an instance hears its places, so that the latest reading is told last.
    private let telling = Mutex(())

    /// A desk without orders, until `load`.
    init(_ settings: LiveSettings, standard: InstanceID?, folder: String?) {
        self.settings = settings
        self.standard = standard
        orders = OrderBook(folder: folder, label: "hearth.keep")
    }

    /// Reads the orders of the daemon's life before, unless that is done. Blocks on the disk.
    ///
    /// If the file cannot be read, `complaint` tells why, and each order tries again.
    func load() { orders.load() }

    /// Reads the orders if they could not be read before.
    ///
    /// - Returns: The instances that keep anything, if the orders are known only now.
    private func loadedNow() throws(HearthError) -> Set<InstanceID> {
        if orders.isLoaded { return [] }
        _ = try orders.loaded()
        return instances
    }

    /// Why not all is kept that programs ordered; `nil` if all is.
    var complaint: String? { orders.complaint }

    // MARK: What is kept

    /// The instances that keep anything.
    var instances: Set<InstanceID> {
        var instances = Set(orders.known.filter(isAllowed).map(\.instance))
        if let standard, !settings.values.keep.isEmpty { instances.insert(standard) }
        return instances
    }

    /// The queries that an instance keeps, each once, in the order of places.
    func targets(in instance: InstanceID) -> [ListenTarget] {
        var seen: Set<ListenTarget> = []
        return places(in: instance).filter(\.isAllowed).map(\.target)
            .filter { seen.insert($0).inserted }
    }

    /// The Unix user whose limit counts an instance that is open for its kept places: the user of
    /// the first order; `nil` if the configuration ordered a place.
    func uid(of instance: InstanceID) -> UInt32? {
        if instance == standard, !settings.values.keep.isEmpty { return nil }
        return orders.known.first { $0.instance == instance && isAllowed($0) }?.peer.orderPayer
    }

    /// Tells an instance its kept places, once nobody else is telling an instance.
    ///
    /// - Parameter tell: Takes the queries as they are now. Must not block.
    func tell(_ instance: InstanceID, _ tell: ([ListenTarget]) -> Void) {
        telling.withLock { _ in tell(targets(in: instance)) }
    }

    private func places(in instance: InstanceID) -> [KeptPlace] {
        let configured =
            instance == standard
            ? settings.values.keep.map {
                KeptPlace(ListenTarget($0, .all), uid: nil, isAllowed: true)
            } : []
        let ordered = orders.known.filter { $0.instance == instance }.map {
            KeptPlace($0.target, uid: $0.peer.uid, isAllowed: isAllowed($0))
        }
        return (configured + ordered).sorted {
            ($0.target.path, $0.uid.map(Int.init) ?? -1)
                < ($1.target.path, $1.uid.map(Int.init) ?? -1)
        }
    }

    private func isAllowed(_ order: KeptOrder) -> Bool {
        grant(to: order.peer, in: order.instance)
            .refusal(of: .read, to: .subtree(order.target.path)) == nil
    }

    private func grant(to peer: Peer, in instance: InstanceID) -> AccessGrant {
        AccessGrant(settings.values.access, to: peer, in: .realtime(instance))
    }

    // MARK: Orders

    /// Carries out an order; the future succeeds, if only with a failure to tell.
    ///
    /// - Parameter changed: Called for each instance that may keep other places than before, before
    ///   the answer.
    func answer(
        to order: KeepOrder, in instance: InstanceID, for peer: Peer, on loop: any EventLoop,
        changed: @escaping @Sendable (InstanceID) -> Void
    ) -> EventLoopFuture<Event> {
        let promise = loop.makePromise(of: Event.self)
        orders.queue.async {
            do throws(HearthError) {
                for other in try self.loadedNow() { changed(other) }
                if try self.carryOut(order, in: instance, for: peer) { changed(instance) }
                promise.succeed(.keptPlaces(self.told(of: instance, to: peer)))
            } catch {
                promise.succeed(.failed(error))
            }
        }
        return promise.futureResult
    }

    /// The places that a peer may read, and the peer's own.
    private func told(of instance: InstanceID, to peer: Peer) -> [KeptPlace] {
        let grant = grant(to: peer, in: instance)
        return places(in: instance).filter {
            $0.uid == peer.uid || grant.refusal(of: .read, to: .subtree($0.target.path)) == nil
        }
    }

    /// Changes the orders, on the disk first.
    ///
    /// - Returns: Whether anything changed.
    private func carryOut(
        _ order: KeepOrder, in instance: InstanceID, for peer: Peer
    ) throws(HearthError) -> Bool {
        let old = try orders.loaded()
        var new = old
        switch order {
        case .tell: return false
        case .keep(let ordered):
            let target = ordered.kept
            new.list.removeAll { $0.isOf(target, instance) && $0.peer.uid == peer.uid }
            if let error = refusal(of: target.path, in: instance, for: peer, beside: new) {
                throw error
            }
            new.list.append(KeptOrder(target, in: instance, by: peer))
        case .release(let ordered):
            let target = ordered.kept
            new.list.removeAll {
                $0.isOf(target, instance) && (peer.isAdministrator || $0.peer.uid == peer.uid)
            }
        }
        guard new != old else { return false }
        try orders.store(new)
        return true
    }

    /// Why a peer may not have one more place kept; `nil` if it may.
    private func refusal(
        of path: RealtimePath, in instance: InstanceID, for peer: Peer, beside orders: KeptOrders
    ) -> HearthError? {
        if path.isInfo { return .neverStored }
        if path.depth > RealtimePath.depthMax { return .tooDeep(path) }
        let limits = settings.values.limits
        let countMax = limits.uidKeptPlaceCountMax
        guard orders.count(of: peer.orderPayer) < countMax else {
            return .tooManyKept(of: peer.orderPayer, countMax)
        }
        // Each instance that keeps anything is open for good.
        let databaseCountMax = limits.uidDatabaseCountMax
        guard !peer.isAdministrator,
            orders.engineCount(of: peer.orderPayer, with: .realtime(instance)) > databaseCountMax
        else { return nil }
        return .tooManyOpen(for: peer.orderPayer, databaseCountMax)
    }
}

extension ListenTarget {
    /// What is kept: a query that shows the whole place keeps the place, in whatever order.
    fileprivate var kept: ListenTarget { query.isComplete ? ListenTarget(path, .all) : self }
}

extension KeptOrder {
    fileprivate func isOf(_ target: ListenTarget, _ instance: InstanceID) -> Bool {
        self.target == target && self.instance == instance
    }
}

extension HearthError {
    fileprivate static let neverStored = HearthError(
        code: .invalidArgument,
        message: "What is below .info is the daemon's own and never stored, so it cannot be kept.")

    fileprivate static func tooDeep(_ path: RealtimePath) -> HearthError {
        HearthError(
            code: .invalidArgument,
            message: "\(path) has \(path.depth) keys; a place that is kept may have "
                + "\(RealtimePath.depthMax).")
    }

    fileprivate static func tooManyKept(of uid: UInt32, _ countMax: Int) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "uid \(uid) keeps \(countMax) places, and the limit is "
                + "limits.uidKeptPlaceCountMax = \(countMax). Take some back with "
                + "\"hearth rtdb keep PATH --off\", or keep a place above them.")
    }

    fileprivate static func tooManyOpen(for uid: UInt32, _ countMax: Int) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "uid \(uid) keeps places of \(countMax) databases, which stay open for that, "
                + "and the limit is limits.uidDatabaseCountMax = \(countMax). Take all places of one back "
                + "with \"hearth rtdb keep PATH --off\".")
    }
}
