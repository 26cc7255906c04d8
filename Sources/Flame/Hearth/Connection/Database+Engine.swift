import HearthEngine
import HearthModel
import HearthWire

extension Hello.Database {
    /// Asks for a database that is known.
    init(_ engine: EngineKey) {
        self =
            switch engine {
            case .firestore(let database): .firestore(.exactly(database))
            case .realtime(let instance): .realtime(.exactly(instance))
            }
    }

    /// The database; `nil` if it is the daemon's to choose.
    var engine: EngineKey? {
        switch self {
        case .firestore(.exactly(let database)): .firestore(database)
        case .realtime(.exactly(let instance)): .realtime(instance)
        case .firestore, .realtime: nil
        }
    }
}
