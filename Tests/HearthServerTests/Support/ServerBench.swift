import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
import HearthServer
import HearthStore
import HearthWire
import Synchronization

/// Makes scripted engines for a server, and remembers what they were told.
final class ServerBench: Sendable {
    private let failures: Mutex<[StoreError]>
    private let heard = Mutex<[String]>([])

    init(openFailures: [StoreError]) {
        failures = Mutex(openFailures)
    }

    func make(_ database: DatabaseID, _ outlet: any EngineOutlet<FirestoreEngine.Action>)
        -> RunningEngine
    {
        let host = EngineHost<ScriptedEngine, FaultyStore>(
            .init(
                key: .firestore(database), outlet: outlet,
                openStore: { () throws(StoreError) in
                    let failure = self.failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                    if let failure { throw failure }
                    return OpenedStore(FaultyStore(FaultyStore.Script()))
                },
                makeEngine: { ScriptedEngine { self.hear($0) } },
                connect: { SilentUpstream($0) }))
        host.start()
        return RunningEngine(
            lifecycle: host,
            service: .firestore(
                .init(
                    inlet: host, cachedReads: CachedReads(database: database),
                    door: ClosedDoor.silent)),
            reader: NothingToRead())
    }

    /// Returns when the engine has been told what `isEnough` asks for; throws after ten seconds.
    func wait(_ isEnough: ([String]) -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while !isEnough(heard.withLock { $0 }) {
            guard ContinuousClock.now < deadline else {
                throw HearthError(code: .deadlineExceeded, message: "\(heard.withLock { $0 })")
            }
            sched_yield()
        }
    }

    private func hear(_ text: String) { heard.withLock { $0.append(text) } }
}

private struct NothingToRead: StoreReading {
    func figures() throws(StoreError) -> StoreFigures { StoreFigures() }

    func report(on inquiry: Inquiry) throws(StoreError) -> HearthWire.Report? { nil }

    func copy(to path: String) throws(StoreError) -> StoreCopy {
        throw .io("there is nothing to copy")
    }
}

extension RunningEngine {
    /// What sessions use of a Firestore engine.
    var firestore: FirestoreService {
        switch service {
        case .firestore(let service): service
        case .realtime: preconditionFailure("The engine is an instance's")
        }
    }
}

extension EngineMakers {
    /// Makers for a server that nobody asks for an instance of the Realtime Database.
    static func firestore(_ make: @escaping EngineMakers.Firestore) -> EngineMakers {
        EngineMakers(firestore: make) { instance, _, _ in
            preconditionFailure("Nobody here asks for \(instance)")
        }
    }
}
