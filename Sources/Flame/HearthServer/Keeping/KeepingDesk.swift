import Dispatch
import HearthEngine
import HearthModel
import HearthWire
import NIOCore
import Synchronization

/// Knows the places that instances keep in step for good: those of the configuration, and those that
/// programs ordered, over restarts.
///
/// An order counts for its Unix user, and rests while the access rules do not let whoever gave it
/// read the place.
final class KeepingDesk: Sendable {
    private let orders = Mutex<[KeptOrder]>([])
    private let settings: LiveSettings
    /// The instance whose places the configuration names.
    private let standard: InstanceID?
    /// Where orders lie; `nil` if the daemon keeps nothing on disk.
    private let file: KeptOrderFile?
    /// Changes of the orders, one after another, since each blocks on the disk.
    private let queue = DispatchQueue(label: "hearth.keep")

    /// A desk without orders, until `load`.
    init(_ settings: LiveSettings, standard: InstanceID?, folder: String?) {
        self.settings = settings
        self.standard = standard
        file = folder.map { KeptOrderFile(folder: $0) }
    }

    /// Reads the orders of the daemon's life before. Blocks on the disk.
    func load() throws(HearthError) {
        guard let read = try file?.read() else { return }
        orders.withLock { $0 = read }
    }

    // MARK: What is kept

    /// The instances that keep anything.
    var instances: Set<InstanceID> {
        var instances = Set(orders.withLock { $0 }.filter(isAllowed).map(\.instance))
        if let standard, !settings.values.keep.isEmpty { instances.insert(standard) }
        return instances
    }

    /// The places that an instance keeps, each once, in order.
    func paths(in instance: InstanceID) -> [RealtimePath] {
        Set(places(in: instance).filter(\.isAllowed).map(\.path)).sorted()
    }

    private func places(in instance: InstanceID) -> [KeptPlace] {
        let configured =
            instance == standard
            ? settings.values.keep.map { KeptPlace(path: $0, uid: nil, isAllowed: true) } : []
        let ordered = orders.withLock { $0 }.filter { $0.instance == instance }.map {
            KeptPlace(path: $0.path, uid: $0.peer.uid, isAllowed: isAllowed($0))
        }
        return (configured + ordered).sorted {
            ($0.path, $0.uid.map(Int.init) ?? -1) < ($1.path, $1.uid.map(Int.init) ?? -1)
        }
    }

    private func isAllowed(_ order: KeptOrder) -> Bool {
        grant(to: order.peer, in: order.instance)
            .refusal(of: .read, to: .subtree(order.path)) == nil
    }

    private func grant(to peer: Peer, in instance: InstanceID) -> AccessGrant {
        AccessGrant(settings.values.access, to: peer, in: .realtime(instance))
    }

    // MARK: Orders

    /// Carries out an order; the future succeeds, if only with a failure to tell.
    ///
    /// - Parameter changed: Called when other places are kept than before, before the answer.
    func answer(
        to order: KeepOrder, in instance: InstanceID, for peer: Peer, on loop: any EventLoop,
        changed: @escaping @Sendable (InstanceID) -> Void
    ) -> EventLoopFuture<Event> {
        let promise = loop.makePromise(of: Event.self)
        queue.async {
            do throws(HearthError) {
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
            $0.uid == peer.uid || grant.refusal(of: .read, to: .subtree($0.path)) == nil
        }
    }

    /// Changes the orders, on the disk first.
    ///
    /// - Returns: Whether anything changed.
    private func carryOut(
        _ order: KeepOrder, in instance: InstanceID, for peer: Peer
    ) throws(HearthError) -> Bool {
        let old = orders.withLock { $0 }
        var new = old
        switch order {
        case .tell: return false
        case .keep(let path):
            if path.isInfo { throw .neverStored }
            if path.depth > RealtimePath.depthMax { throw .tooDeep(path) }
            new.removeAll { $0.isOf(path, instance) && $0.peer.uid == peer.uid }
            let countMax = settings.values.limits.uidKeptPlaceCountMax
            guard new.count(where: { $0.peer.uid == peer.uid }) < countMax else {
                throw .tooManyKept(of: peer.uid, countMax)
            }
            new.append(KeptOrder(path, in: instance, by: peer))
        case .release(let path):
            new.removeAll {
                $0.isOf(path, instance) && (peer.isAdministrator || $0.peer.uid == peer.uid)
            }
        }
        guard new != old else { return false }
        try file?.write(new)
        orders.withLock { $0 = new }
        return true
    }
}

extension KeptOrder {
    fileprivate func isOf(_ path: RealtimePath, _ instance: InstanceID) -> Bool {
        self.path == path && self.instance == instance
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
}
