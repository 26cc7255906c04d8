import HearthEngine
package import HearthModel

/// The databases that an access rule is about. Names are told apart by bytes.
package enum AccessPlace: Hashable, Sendable {
    /// Every database of both kinds.
    case everywhere
    /// Every Firestore database of a project.
    case project(UTF8Text)
    /// One Firestore database.
    case database(project: UTF8Text, database: UTF8Text)
    /// Every instance of the Realtime Database.
    case everyInstance
    /// One instance of the Realtime Database, by name; no two instances of the service share a
    /// name.
    case instance(UTF8Text)

    /// The places of all rules that count for an engine's database.
    static func all(of key: EngineKey) -> [AccessPlace] {
        switch key {
        case .firestore(let database):
            let project = UTF8Text(database.project)
            return [
                .everywhere, .project(project),
                .database(project: project, database: UTF8Text(database.database)),
            ]
        case .realtime(let instance):
            return [.everywhere, .everyInstance, .instance(UTF8Text(instance.name))]
        }
    }
}
